import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGeminiLive } from '../src/live/gemini-live.ts';
import type { LiveEvent, LiveModel } from '../src/live/live-model.ts';
import { createOpenAiRealtime } from '../src/live/openai-realtime.ts';
import { SpeechError, type SpeechErrorKind } from '../src/ports.ts';
import type { ProviderAccount } from '../src/providers/limits.ts';
import {
  type Behavior,
  createGeminiLiveDouble,
  createOpenAiRealtimeDouble,
  type ProviderDouble,
} from '../src/testing/index.ts';
import { type OpenTimers, watchTimers } from './open-timers.ts';
import { IMPATIENT, PATIENT, PROVIDERS, toneAt, until } from './providers.ts';

/** What is asked of a provider once. Rejects with its failure. */
type Tested = {
  name: string;
  createDouble(): Promise<ProviderDouble>;
  request(account: ProviderAccount): Promise<void>;
};

const SPEAKING: readonly Tested[] = PROVIDERS.map(({ name, createDouble, createSpeech }) => ({
  name: `${name} speaks`,
  createDouble,
  request: async (account) => {
    async function* text(): AsyncGenerator<string> {
      yield 'Good morning. Your table is reserved for eight.';
    }
    const options = { language: 'en-US', signal: new AbortController().signal };
    let samples = 0;
    for await (const chunk of createSpeech(account).speak(text(), options)) samples += chunk.length;
    expect(samples).toBeGreaterThan(0);
  },
}));

const HEARING: readonly Tested[] = PROVIDERS.map(({ name, createDouble, createRecognition }) => ({
  name: `${name} recognizes`,
  createDouble,
  request: async (account) => {
    const words: string[] = [];
    let failure: SpeechError | undefined;
    const stream = createRecognition(account).open({
      language: 'en-US',
      onResult: ({ isFinal, text }) => void (isFinal && words.push(text)),
      onError: (err) => {
        failure = err;
      },
    });
    for (let at = 0; at < 600; at += 20) stream.push(toneAt(16_000, 20));
    await stream.flush();
    // A provider that failed has already closed its connection.
    if (failure) throw failure;
    stream.close();
    expect(words).toEqual(['hello there']);
  },
}));

const LIVE: readonly Tested[] = [
  {
    name: 'gemini-live talks',
    createDouble: createGeminiLiveDouble,
    request: (account) => talk(createGeminiLive({ ...account, name: 'gemini-live' })),
  },
  {
    name: 'openai-realtime talks',
    createDouble: createOpenAiRealtimeDouble,
    request: ({ baseUrl, ...account }) =>
      talk(createOpenAiRealtime({ ...account, baseUrl: `${baseUrl}/v1`, name: 'openai-realtime' })),
  },
];

/** Until the model has said something. */
async function talk(model: LiveModel): Promise<void> {
  let onDone = (): void => {};
  let onFailure = (_: SpeechError): void => {};
  const said = new Promise<void>((resolve, reject) => {
    onDone = resolve;
    onFailure = reject;
  });
  said.catch(() => {});
  const onEvent = ({ type }: LiveEvent): void => void (type === 'done' && onDone());
  const setup = { instructions: 'You sell tea.', language: 'en-US', tools: [], isInterruptible: true };
  const connection = await model.connect(
    { ...setup, handle: null, history: [] },
    { onEvent, onFailure },
    new AbortController().signal,
  );
  connection.respond('Say hello');
  await said;
  connection.close();
}

const SPEECH = [...SPEAKING, ...HEARING];
/** Its headers come before its audio. */
const STREAMED = SPEAKING.filter(({ name }) => !/google|cartesia/.test(name));
const ALL = [...SPEECH, ...LIVE];
/** A request has at most two attempts, with a short delay between them. */
const MAX_LATE_MS = 2 * IMPATIENT.connectMs + 5_000;

type Row = [what: string, behavior: Behavior, kind: SpeechErrorKind | 'none', of?: readonly Tested[]];

const ROWS: readonly Row[] = [
  ['is normal', { kind: 'normal' }, 'none'],
  ['is slower than the timeout', { kind: 'slow', delayMs: 1_200 }, 'timeout'],
  [
    'sends headers and audio late, which together is too late',
    { kind: 'slow', delayMs: 300 },
    'timeout',
    STREAMED,
  ],
  ['never answers a connection', { kind: 'unanswered' }, 'timeout'],
  ['accepts and never answers', { kind: 'hang' }, 'timeout'],
  // The conversation notices a live model that is silent although it is ready: live-conversation.test.ts.
  ['stops in the middle', { kind: 'stall' }, 'timeout', SPEECH],
  ['breaks off in the middle', { kind: 'break' }, 'unavailable'],
  ['is overloaded', { kind: 'status', status: 429 }, 'rate_limit'],
  [
    'is overloaded, in a response without an end',
    { kind: 'status', status: 429, isEndless: true },
    'rate_limit',
  ],
  ['fails', { kind: 'status', status: 500 }, 'unavailable'],
  ['fails, in a response without an end', { kind: 'status', status: 500, isEndless: true }, 'unavailable'],
  ['refuses the key', { kind: 'normal' }, 'credentials'],
  [
    'refuses the key, in a response without an end',
    { kind: 'status', status: 401, isEndless: true },
    'credentials',
  ],
  ['answers garbage', { kind: 'garbage' }, 'protocol'],
];

describe('every provider [calls.20]', () => {
  let timers: OpenTimers;
  const doubles = new Map<string, ProviderDouble>();
  beforeEach(() => {
    timers = watchTimers();
  });
  afterEach(async () => {
    timers.stop();
    for (const double of doubles.values()) await double.close();
    doubles.clear();
  });

  it.each(ROWS)(
    'that %s ends with its reason, in time, and leaves nothing open',
    async (what, behavior, kind, of = ALL) => {
      const outcome = async ({ createDouble, request, name }: Tested): Promise<[string, string]> => {
        const double = await createDouble();
        doubles.set(name, double);
        double.behave(behavior);
        const limits = kind === 'timeout' ? IMPATIENT : PATIENT;
        const apiKey = what.startsWith('refuses') ? 'sk-not-the-key' : double.key;
        const beganAt = performance.now();
        const got = await request({ apiKey, baseUrl: double.url, limits }).then(
          () => 'none',
          (err: unknown) => (err instanceof SpeechError ? err.kind : String(err)),
        );
        const ms = performance.now() - beganAt;
        return [name, kind === 'timeout' && ms > MAX_LATE_MS ? `${got} after ${ms} ms` : got];
      };
      const outcomes = await Promise.all(of.map(outcome));
      expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(of.map(({ name }) => [name, kind])));
      const open = () =>
        [...doubles].flatMap(([name, { openExchanges }]) => (openExchanges > 0 ? [name] : []));
      await until(() => open().length === 0 && timers.where.length === 0, 5_000).catch(() => {});
      expect({ connections: open(), timers: timers.where }).toEqual({ connections: [], timers: [] });
    },
    20_000,
  );
});
