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
  recordSession,
} from '@parley/media';
import {
  createFallbackSpeechToText,
  createFallbackTextToSpeech,
  createSpokenPort,
  loadVoiceActivity,
} from '@parley/speech';
import type { Leaks } from './protocol.ts';
import { deepgramAt, loadDeepgram } from './providers.ts';
import { voiced } from './sounds.ts';

// Runs short calls: `leaks.ts CALLS`, twenty at a time, each with a greeting, half a turn, an interruption or a DTMF key, and a
// recording; the call ends in the middle of a turn. Run with --expose-gc.

const [count = '1000'] = process.argv.slice(2);
const AT_ONCE = 20;
const WARM = 200;
const RATE = 8_000;
const provider = JSON.parse(process.env.BENCH_PROVIDER ?? '{}') as { url: string; key: string };
const clock: MediaClock = { nowMs: monotonicMs, timer: realTimer };
const ticker = createTicker(clock, (error) => {
  throw error;
});
const folder = mkdtempSync(join(tmpdir(), 'parley-bench-leaks-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await loadDeepgram(provider);
const vad = await loadVoiceActivity();
const speech = voiced(400, RATE);

await several(WARM);
const before = await settled();
await several(Number(count));
const after = await settled();
const found: Leaks = {
  calls: Number(count),
  grownKib: (after.heap - before.heap) / 1_024,
  resourcesBefore: before.resources,
  resourcesAfter: after.resources,
  subscribers: ticker.subscribers,
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
  const { stt, tts } = deepgramAt(provider);
  const port = createSpokenPort({
    media: near,
    stt: createFallbackSpeechToText(stt, [], { clock }),
    tts: createFallbackTextToSpeech(tts, [], { clock }),
    vad,
    clock,
    language: 'en-US',
  });
  const hangUp = new AbortController();
  const said = port.say('Good morning, how can I help you today?', hangUp.signal).catch(() => undefined);
  const heard = port.hear(hangUp.signal).catch(() => undefined);
  await sleep(200);
  if (n % 3 === 0) await far.sendDigits('1');
  else {
    const playback = far.play();
    playback.write(speech, RATE);
    playback.end();
    await playback.done;
  }
  await sleep(200);
  hangUp.abort(new Error('the call is over'));
  port.close();
  close();
  await Promise.all([said, heard, recorder.close()]);
}

async function settled(): Promise<{ heap: number; resources: number }> {
  await sleep(1_500);
  for (let n = 0; n < 3; n += 1) {
    globalThis.gc?.();
    await sleep(100);
  }
  return { heap: process.memoryUsage().heapUsed, resources: process.getActiveResourcesInfo().length };
}
