import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs, realTimer } from '@parley/kit/time';
import {
  createMediaSession,
  createMuLawCodec,
  createRecorder,
  createRtpLine,
  createTicker,
  createUdpTransport,
  type MediaClock,
  recordSession,
} from '@parley/media';
import {
  createFallbackSpeechToText,
  createFallbackTextToSpeech,
  createSpokenPort,
  loadVoiceActivity,
} from '@parley/speech';
import { HOST, type Report } from '../media/protocol.ts';
import { deepgramAt, loadDeepgram } from './providers.ts';

// The process that is measured: `near-end.ts CALLS KIND FAR_PORT` with the provider's address in BENCH_PROVIDER. Each call is a spoken
// conversation over UDP with voice activity, streaming recognition, synthesis and a recording. Sends its ports, then a report when asked.

const [count = '0', , farPort = '0'] = process.argv.slice(2);
const provider = JSON.parse(process.env.BENCH_PROVIDER ?? '{}') as { url: string; key: string };
const remote = { address: HOST, port: Number(farPort) };
const FRAME_MS = 20;
const MIB = 1_024 * 1_024;
const clock: MediaClock = { nowMs: monotonicMs, timer: realTimer };
const ticker = createTicker(clock, (error) => {
  throw error;
});
const folder = mkdtempSync(join(tmpdir(), 'parley-bench-voice-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());

type End = { port: number; lost: () => number; concealedMs: () => number };

await loadDeepgram(provider);
const vad = await loadVoiceActivity();
let turns = 0;
globalThis.gc?.();
const emptyMib = process.memoryUsage().rss / MIB;
const ends: End[] = [];
for (let n = 0; n < Number(count); n += 1) ends.push(await openCall(n));
process.send?.(ends.map(({ port }) => port));

let from = snapshot();
process.on('message', (command) => {
  if (command === 'measure') {
    from = snapshot();
    return;
  }
  const to = snapshot();
  globalThis.gc?.();
  const rssMib = process.memoryUsage().rss / MIB;
  const report: Report = {
    cpu: (to.cpuMs - from.cpuMs) / (to.atMs - from.atMs),
    rssMib,
    lostHere: to.lost - from.lost,
    concealedFrames: Math.round((to.concealedMs - from.concealedMs) / FRAME_MS),
    callMib: (rssMib - emptyMib) / Math.max(1, ends.length),
    turns,
  };
  process.send?.(report);
});

function snapshot() {
  const { user, system } = process.cpuUsage();
  const sum = (value: (end: End) => number): number => ends.reduce((total, end) => total + value(end), 0);
  return {
    atMs: clock.nowMs(),
    cpuMs: (user + system) / 1_000,
    lost: sum((end) => end.lost()),
    concealedMs: sum((end) => end.concealedMs()),
  };
}

async function openCall(n: number): Promise<End> {
  const transport = await createUdpTransport({
    address: HOST,
    random: Math.random,
    ports: { min: 20_000, max: 29_999 },
  });
  const line = createRtpLine({
    transport,
    codec: createMuLawCodec(),
    payloadType: 0,
    remote,
    cname: 'bench',
    nowMs: clock.nowMs,
    random: Math.random,
  });
  const session = createMediaSession(line, ticker);
  const onError = (error: unknown): void => {
    throw error;
  };
  const path = join(folder, `${n}.wav`);
  recordSession(
    await createRecorder({ path, sampleRate: 8_000, startedAtMs: clock.nowMs(), onError }),
    session,
  );
  const { stt, tts } = deepgramAt(provider);
  const port = createSpokenPort({
    media: session,
    stt: createFallbackSpeechToText(stt, [], { clock }),
    tts: createFallbackTextToSpeech(tts, [], { clock }),
    vad,
    clock,
    language: 'en-US',
  });
  void converse(port);
  return {
    port: transport.port,
    lost: () => session.stats().packetsLost,
    concealedMs: () => session.stats().concealedMs,
  };
}

async function converse(port: ReturnType<typeof createSpokenPort>): Promise<void> {
  const { signal } = new AbortController();
  await port.say('Good morning, how can I help you today?', signal);
  for (;;) {
    await port.hear(signal);
    turns += 1;
    await port.say('I see. Let me look that up for you, it will only take a moment.', signal);
  }
}
