import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createOpusCodec } from '@parley/media';
import { tone } from '@parley/media/testing';
import { runBench } from '@parley/testkit/load';
import { MediaStreamTrack, RTCPeerConnection, RTCRtpCodecParameters, RtpHeader, RtpPacket } from 'werift';
import { benchInBrowser } from './web-calls/in-browser.ts';

// Spoken web calls over WebRTC on loopback: one worker process that speaks, listens and records, and BENCH_CALLS (30) werift peers in
// this process, with Opus in both directions for BENCH_SECONDS (20). Measures the time from offer to first packet, gaps, loss and CPU.
// Then BENCH_BROWSER_CALLS (10) calls of each kind in Chromium on a complete platform: time from the click to the assistant's first
// audio, also where UDP is blocked, and from a cut connection to the next one. Requires Postgres, Redis and RabbitMQ.

const CALLS = Number(process.env.BENCH_CALLS ?? 30);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const MAX_GAP_MS = 60;
const MAX_LONGEST_GAP_MS = 200;
/** Of the packets that each peer has to get. */
const MIN_SHARE = 0.99;
const MAX_CPU = 1;
const FRAME_MS = 20;
const WARM_UP_MS = 2_000;
const PAYLOAD_TYPE = 111;

type Received = {
  gaps: number[];
  lost: number;
  firstMs: number | undefined;
  lastMs: number;
  sequence: number;
};

async function reply(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message');
  return message;
}

async function connect(child: ChildProcess, n: number) {
  const opus = new RTCRtpCodecParameters({
    mimeType: 'audio/opus',
    clockRate: 48_000,
    channels: 2,
    payloadType: PAYLOAD_TYPE,
  });
  const peer = new RTCPeerConnection({ codecs: { audio: [opus] }, iceServers: [] });
  const track = new MediaStreamTrack({ kind: 'audio' });
  const transceiver = peer.addTransceiver(track, { direction: 'sendrecv' });
  const received: Received = { gaps: [], lost: 0, firstMs: undefined, lastMs: 0, sequence: -1 };
  const beganMs = performance.now();
  transceiver.onTrack.subscribe((remote) => {
    remote.onReceiveRtp.subscribe(({ header }) => {
      const nowMs = performance.now();
      received.firstMs ??= nowMs - beganMs;
      if (received.lastMs > 0) received.gaps.push(nowMs - received.lastMs);
      if (received.sequence >= 0) received.lost += (header.sequenceNumber - received.sequence - 1) & 0xffff;
      received.lastMs = nowMs;
      received.sequence = header.sequenceNumber;
    });
  });
  await peer.setLocalDescription(await peer.createOffer());
  child.send({ n, offer: peer.localDescription?.sdp });
  await peer.setRemoteDescription({ type: 'answer', sdp: String(await reply(child)) });
  return { peer, track, received };
}

async function benchPeers(lifecycle: Lifecycle): Promise<boolean> {
  const child = fork(join(import.meta.dirname, 'web-calls/worker-end.ts'), [], {
    execArgv: [
      '--import',
      'tsx',
      '--conditions=source',
      '--max-semi-space-size=8',
      '--heap-growing-percent=300',
    ],
  });
  lifecycle.onStop('worker', () => void child.kill());
  await reply(child);
  const calls: Awaited<ReturnType<typeof connect>>[] = [];
  for (let n = 0; n < CALLS; n += 1) calls.push(await connect(child, n));
  lifecycle.onStop('peers', async () => {
    for (const { peer } of calls) await peer.close();
  });

  const codec = await createOpusCodec({ sampleRate: 24_000 });
  const speech = tone(300, FRAME_MS, 24_000);
  const payload = Buffer.from(codec.encode(speech));
  let frame = 0;
  const timer = setInterval(() => {
    frame += 1;
    for (const { track, peer } of calls) {
      if (peer.connectionState !== 'connected') continue;
      const header = new RtpHeader({
        payloadType: PAYLOAD_TYPE,
        sequenceNumber: frame & 0xffff,
        timestamp: (frame * 960) >>> 0,
        ssrc: 7,
      });
      track.writeRtp(new RtpPacket(header, payload));
    }
  }, FRAME_MS);
  lifecycle.onStop('speech', () => clearInterval(timer));

  await sleep(WARM_UP_MS);
  for (const { received } of calls) Object.assign(received, { gaps: [], lost: 0 });
  child.send('measure');
  await sleep(SECONDS * 1_000);
  child.send('report');
  const untilMs = performance.now();
  // Before the answer, which takes time too.
  const shares = calls.map(({ received }) => (received.gaps.length * FRAME_MS) / (SECONDS * 1_000));
  const worker = (await reply(child)) as { cpu: number; lost: number; rssMib: number };
  const { cpu, rssMib } = worker;
  // Also of peers that have become silent, or were never connected.
  const silences = calls.map(({ received }) => untilMs - received.lastMs);
  const gaps = calls.flatMap(({ received }) => received.gaps).sort((a, b) => a - b);
  const firsts = calls.map(({ received }) => received.firstMs ?? Number.NaN).sort((a, b) => a - b);
  const lost = calls.reduce((sum, { received }) => sum + received.lost, 0);
  const at = (values: number[], share: number): string =>
    (values[Math.floor(share * (values.length - 1))] ?? Number.NaN).toFixed(1);
  const expected = CALLS * SECONDS * (1_000 / FRAME_MS);
  const share = Math.min(...shares);
  const longestMs = Math.max(...gaps, ...silences);
  console.log(
    `${CALLS} calls, ${SECONDS} s, ${gaps.length} of ${expected} packets, at least ${(share * 100).toFixed(1)} % per call, ` +
      `${lost} lost, ${worker.lost} on their way to the worker`,
  );
  console.log(`offer → first packet: p50 ${at(firsts, 0.5)} ms, p95 ${at(firsts, 0.95)} ms`);
  console.log(`gaps: p50 ${at(gaps, 0.5)}, p99 ${at(gaps, 0.99)}, max ${longestMs.toFixed(1)} ms`);
  console.log(`worker: ${(cpu * 100).toFixed(0)} % of a core, ${rssMib.toFixed(0)} MiB`);
  const met =
    lost === 0 &&
    worker.lost === 0 &&
    share >= MIN_SHARE &&
    Number(at(gaps, 0.99)) <= MAX_GAP_MS &&
    longestMs <= MAX_LONGEST_GAP_MS &&
    cpu <= MAX_CPU;
  console.log(
    `bar: gap p99 ≤ ${MAX_GAP_MS} ms, at most ${MAX_LONGEST_GAP_MS} ms, nothing lost, ≥ ${MIN_SHARE * 100} % per call, ` +
      `≤ ${MAX_CPU * 100} % of a core: ${met ? 'met' : 'MISSED'}`,
  );
  return met;
}

await runBench(async (lifecycle) => {
  // One after the other, with a lifecycle of its own: the peers would use the processor that browsers need.
  const peers = createLifecycle(createLogger({ service: 'bench', level: 'warn' }), { deadlineMs: 10_000 });
  lifecycle.onStop('peers and worker', () => peers.stop('the benchmark is over'));
  const met = await benchPeers(peers);
  await peers.stop('the peers are measured');
  return (await benchInBrowser(lifecycle)) && met;
});
