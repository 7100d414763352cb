import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, realTimer } from '@parley/kit/time';
import {
  createMemoryPair,
  createRecorder,
  createTicker,
  type MediaClock,
  type MediaSession,
  recordSession,
} from '@parley/media';
import {
  createFallbackSpeechToText,
  createFallbackTextToSpeech,
  createLiveConversation,
  createLiveModel,
  createSpokenPort,
  loadVoiceActivity,
} from '@parley/speech';
import type { Doubles, Leaks } from './protocol.ts';
import { deepgramAt, loadDeepgram } from './providers.ts';
import { voiced } from './sounds.ts';

// Runs short calls: `leaks.ts CALLS`, twenty at a time, each with a greeting, half a turn, an interruption or a DTMF key, and a
// recording that is paused; the call ends in the middle of a turn. Of four calls one talks to a live model, and one has a provider
// that fails, and its backup. Run with --expose-gc.

const [count = '1000'] = process.argv.slice(2);
const AT_ONCE = 20;
const WARM = 200;
const RATE = 8_000;
const provider = JSON.parse(process.env.BENCH_PROVIDER ?? '{}') as Doubles;
const LIVE_TIMEOUT_MS = 10_000;
/** What shows that the calls were of their kinds. */
const turns = { live: 0, failures: 0 };
const clock: MediaClock = { nowMs: monotonicMs, timer: realTimer };
const ticker = createTicker(clock, (error) => {
  throw error;
});
const folder = mkdtempSync(join(tmpdir(), 'parley-bench-leaks-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await loadDeepgram(provider);
await loadDeepgram(provider.broken);
const liveModel = await createLiveModel({
  name: 'live',
  type: 'openai-realtime',
  base_url: provider.live.url,
  api_key: provider.live.key,
});
const vad = await loadVoiceActivity();
const speech = voiced(400, RATE);

await several(WARM);
const before = await settled();
await several(Number(count));
const after = await settled();
const found: Leaks = {
  calls: Number(count),
  grownKib: (after.bytes - before.bytes) / 1_024,
  resourcesBefore: before.resources,
  resourcesAfter: after.resources,
  subscribers: ticker.subscribers,
  ...turns,
};
process.send?.(found, () => process.exit());

async function several(calls: number): Promise<void> {
  for (let begun = 0; begun < calls; begun += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, calls - begun) }, (_, n) => call(begun + n)));
  }
}

async function call(n: number): Promise<void> {
  const { near, far, close } = createMemoryPair({ clock, ticker, random: Math.random });
  const path = join(folder, `${n % AT_ONCE}.wav`);
  rmSync(path, { force: true });
  const onError = (error: unknown): void => {
    throw error;
  };
  const recorder = await createRecorder({ path, sampleRate: RATE, startedAtMs: clock.nowMs(), onError });
  recordSession(recorder, near);
  const hangUp = new AbortController();
  const { done, close: closePort } = n % 4 === 3 ? live(near, hangUp.signal) : spoken(near, n, hangUp.signal);
  await sleep(200);
  recorder.pause(true);
  if (n % 3 === 0) await far.sendDigits('1');
  else {
    const playback = far.play();
    playback.write(speech, RATE);
    playback.end();
    await playback.done;
  }
  await sleep(200);
  hangUp.abort(new Error('the call is over'));
  closePort();
  close();
  await Promise.all([done, recorder.close()]);
}

type Talk = { done: Promise<unknown>; close(): void };

/** The first provider fails in one call of four. */
function spoken(media: MediaSession, n: number, signal: AbortSignal): Talk {
  const working = deepgramAt(provider);
  const broken = n % 4 === 1 ? [deepgramAt(provider.broken)] : [];
  const [first = working, ...backups] = [...broken, working];
  const onFailure = (): void => {
    turns.failures += 1;
  };
  const port = createSpokenPort({
    media,
    stt: createFallbackSpeechToText(
      first.stt,
      backups.map(({ stt }) => stt),
      { clock, onFailure },
    ),
    tts: createFallbackTextToSpeech(first.tts, backups, { clock, onFailure }),
    vad,
    clock,
    language: 'en-US',
  });
  const said = port.say('Good morning, how can I help you today?', signal).catch(() => undefined);
  const heard = port.hear(signal).catch(() => undefined);
  return { done: Promise.all([said, heard]), close: port.close };
}

function live(media: MediaSession, signal: AbortSignal): Talk {
  const conversation = createLiveConversation({
    media,
    model: liveModel,
    setup: { instructions: 'You sell tea.', language: 'en-US', tools: [], isInterruptible: true },
    handle: null,
    history: () => [],
    opening: 'Greet the human.',
    endingTools: new Set(),
    turns: {
      begin: () => {
        turns.live += 1;
        return () => {};
      },
    },
    useTool: async () => ({ result: null, error: null }),
    vad,
    clock,
    timeoutMs: LIVE_TIMEOUT_MS,
    onHandle: () => {},
    onLatency: () => {},
    onFailure: () => {},
    onKeys: () => {},
  });
  const done = conversation.run(signal).catch(() => conversation.settled());
  return { done, close: conversation.close };
}

async function settled(): Promise<{ bytes: number; resources: number }> {
  await sleep(1_500);
  for (let n = 0; n < 3; n += 1) {
    globalThis.gc?.();
    await sleep(100);
  }
  // Audio is in buffers outside the heap; `external` includes `arrayBuffers`.
  const { heapUsed, external } = process.memoryUsage();
  return { bytes: heapUsed + external, resources: process.getActiveResourcesInfo().length };
}
