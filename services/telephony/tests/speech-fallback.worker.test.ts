import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import type { SpeechProvider } from '@parley/speech/providers';
import { type Behavior, createDeepgramDouble, type ProviderDouble } from '@parley/speech/testing';
import { eventually } from '@parley/testkit';
import type { FindSpeech } from '../src/speech/find-speech.ts';
import { createFindSpeech } from '../src/speech/provider-speech.ts';
import { startWorker } from '../src/start-worker.ts';
import { callIn, inboundNumber, timelineOf } from './call-in.ts';
import { type Harness, type Json, startHarness } from './harness.ts';
import { finished } from './place-call.ts';

const PATIENCE = { timeoutMs: 90_000 };
/** As in production: less would also end what a busy machine delays. */
const DEFAULT_TIMEOUT_SECONDS = 3;
const FAILURES: Readonly<Record<string, Behavior>> = {
  'breaks off': { kind: 'break' },
  'never answers': { kind: 'hang' },
  refuses: { kind: 'status', status: 401 },
};
const HEARD = 'Yes, I am interested.';
const SCRIPT = [HEARD, 'Thank you, goodbye.'];

type Use = NonNullable<SpeechProvider['uses']>[number];
type Case = { use: Use; failure: string; hasSecond: boolean };

const CASES: readonly Case[] = (['voice', 'transcriber'] as const).flatMap((use) =>
  Object.keys(FAILURES).flatMap((failure) => [true, false].map((hasSecond) => ({ use, failure, hasSecond }))),
);

describe('a call whose provider of speech fails [calls.20]', () => {
  let harness: Harness;
  let worker: Lifecycle;
  let sound: ProviderDouble;
  const failing = new Map<string, ProviderDouble>();
  /** By workspace. */
  const speech = new Map<string, FindSpeech>();

  beforeAll(async () => {
    harness = await startHarness({ PROCESSES: 'api', CLOCK_RATE: '1', SIMULATOR_MEDIA: 'narrowband' });
    sound = await createDeepgramDouble();
    sound.hears(HEARD);
    for (const [failure, behavior] of Object.entries(FAILURES)) {
      const double = await createDeepgramDouble();
      double.behave(behavior);
      failing.set(failure, double);
    }
    worker = createLifecycle(harness.context.log, { deadlineMs: 10_000 });
    await startWorker(harness.context, worker, {
      findSpeech: (choice) => {
        const find = speech.get(choice.workspaceId);
        if (!find) throw new Error('This workspace has no providers');
        return find(choice);
      },
    });
  });
  afterAll(async () => {
    await worker?.stop('test');
    await harness?.close();
    for (const double of [sound, ...failing.values()]) await double?.close();
  });

  const findWith = (
    SPEECH_PROVIDERS: SpeechProvider[],
    SPEECH_TIMEOUT_SECONDS: number,
  ): Promise<FindSpeech> => {
    const settings = { SPEECH_PROVIDERS, OPENAI_BASE_URL: undefined, OPENAI_API_KEY: undefined };
    return createFindSpeech({ ...settings, SPEECH_TIMEOUT_SECONDS }, harness.context.log);
  };
  const provider = (name: string, double: ProviderDouble | undefined, uses: Use): SpeechProvider => ({
    name,
    type: 'deepgram',
    base_url: double?.url ?? '',
    api_key: sound.key,
    uses: [uses],
  });

  const findFor = ({ use, failure, hasSecond }: Case): Promise<FindSpeech> => {
    const other = use === 'voice' ? 'transcriber' : 'voice';
    const providers = [
      provider('failing', failing.get(failure), use),
      provider('other', sound, other),
      ...(hasSecond ? [provider('second', sound, use)] : []),
    ];
    return findWith(providers, DEFAULT_TIMEOUT_SECONDS);
  };

  const outcomeOf = async (given: Case): Promise<Json> => {
    const number = await inboundNumber(harness);
    speech.set(number.workspaceId, await findFor(given));
    const id = await callIn(harness, number, { script: SCRIPT });
    const call = await eventually(() => finished(harness, number.workspaceId, id), PATIENCE);
    const timeline = await timelineOf(harness, number.workspaceId, id);
    const said = (role: string): string[] =>
      timeline.flatMap((entry: Json) => (entry.role === role ? [entry.content] : []));
    return {
      reason: call.disconnection_reason,
      cause: timeline.find(({ type }) => type === 'ended').cause,
      // Late frames may divide a line: the double recognizes it once for each part.
      isHeard: said('user').join(' ').includes(HEARD),
      hasAnswered: said('agent').length > 1,
      hasApologized: /^I am sorry.*Goodbye/.test(said('agent').at(-1) ?? ''),
    };
  };

  const expectedOf = ({ use, hasSecond }: Case): Json => {
    if (hasSecond) return { reason: 'user_hangup', isHeard: true, hasAnswered: true, hasApologized: false };
    const isMute = use === 'voice';
    return {
      reason: 'error',
      cause: 'no_speech',
      // Without a voice, the human may speak before the call ends.
      ...(!isMute && { isHeard: false }),
      hasAnswered: !isMute,
      hasApologized: !isMute,
    };
  };

  it('goes on with the second provider; without one it apologizes, if a voice is left, and ends with its reason', async () => {
    const nameOf = ({ use, failure, hasSecond }: Case): string =>
      `${use} ${failure}, ${hasSecond ? 'a' : 'no'} second provider`;
    const outcomes = await Promise.all(
      CASES.map(async (given) => [nameOf(given), await outcomeOf(given)] as const),
    );
    expect(Object.fromEntries(outcomes)).toMatchObject(
      Object.fromEntries(CASES.map((given) => [nameOf(given), expectedOf(given)])),
    );
    // Each failed before another one was used, and nothing is left of the calls.
    for (const double of failing.values()) expect(double.requests.length).toBeGreaterThan(0);
    await eventually(() => {
      for (const double of [sound, ...failing.values()]) expect(double.openExchanges).toBe(0);
    });
    // The latency of an answer is that of the providers that took part in it [calls.21].
    const metrics = await (await fetch(`${harness.url}/metrics`)).text();
    const measured = [
      ...metrics.matchAll(
        /parley_turn_latency_seconds_count\{.*stage="(\w+)",provider="([\w-]+)".*\} [1-9]/g,
      ),
    ].map(([, stage, provider]) => `${stage} ${provider}`);
    expect(measured).toEqual(expect.arrayContaining(['end_of_turn second', 'first_audio second']));
    expect(measured.filter((each) => each.endsWith(' failing'))).toEqual([]);
  });

  it('whose audio nobody will hear any more: its request is aborted when the call is stopped, or its worker', async () => {
    const voice = failing.get('never answers');
    const number = await inboundNumber(harness);
    const providers = [provider('silent', voice, 'voice'), provider('ears', sound, 'transcriber')];
    speech.set(number.workspaceId, await findWith(providers, 30));
    const untilOpen = (count: number) =>
      eventually(() => expect(voice?.openExchanges).toBe(count), { timeoutMs: 15_000 });
    const call = async (): Promise<string> => {
      const id = await callIn(harness, number, { script: SCRIPT });
      await eventually(
        async () =>
          expect(await timelineOf(harness, number.workspaceId, id)).toContainEqual(
            expect.objectContaining({ type: 'turn' }),
          ),
        PATIENCE,
      );
      // Of what was synthesized ahead and what is said, one request is left.
      await untilOpen(1);
      return id;
    };
    const id = await call();
    await harness.ask(number.workspaceId, 'POST', `/v2/call/${id}/stop`);
    await untilOpen(0);
    await call();
    await worker.stop('test');
    await untilOpen(0);
  });
});
