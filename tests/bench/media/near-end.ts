import { createSocket } from 'node:dgram';
import { once } from 'node:events';
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
  playStream,
  recordSession,
  type Ticker,
} from '@parley/media';
import { tone } from '@parley/media/testing';
import { HOST, type Kind, type Report } from './protocol.ts';

// The process that is measured: `near-end.ts CALLS KIND FAR_PORT`. Sends its ports, then a report when it is asked.

const [count = '0', kind = 'calls', farPort = '0'] = process.argv.slice(2);
const remote = { address: HOST, port: Number(farPort) };
const SYNTHESIS_RATE = 24_000;
const FRAME_MS = 20;
const PACKET_BYTES = 172;
const MIB = 1_024 * 1_024;
const clock: MediaClock = { nowMs: monotonicMs, timer: realTimer };
const ticker = createTicker(clock, (error) => {
  throw error;
});
const folder = mkdtempSync(join(tmpdir(), 'parley-bench-media-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());

type End = { port: number; lost: () => number; concealedMs: () => number };

const ends: End[] = [];
for (let n = 0; n < Number(count); n += 1) {
  ends.push(await (kind === 'sockets' ? openSocket() : openCall(n, kind as Kind, ticker)));
}
process.send?.(ends.map(({ port }) => port));

let from = snapshot();
process.on('message', (command) => {
  if (command === 'measure') {
    from = snapshot();
    return;
  }
  const to = snapshot();
  const report: Report = {
    cpu: (to.cpuMs - from.cpuMs) / (to.atMs - from.atMs),
    rssMib: process.memoryUsage().rss / MIB,
    lostHere: to.lost - from.lost,
    concealedFrames: Math.round((to.concealedMs - from.concealedMs) / FRAME_MS),
  };
  process.send?.(report);
});

/** An answer without end, in chunks as speech synthesis sends them. */
async function* synthesis(hz: number): AsyncGenerator<Int16Array> {
  const chunk = tone(hz, 100, SYNTHESIS_RATE);
  for (;;) yield chunk;
}

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

async function openCall(n: number, of: Kind, rhythm: Ticker): Promise<End> {
  const ports = { min: 20_000, max: 29_999 };
  const transport = await createUdpTransport({ address: HOST, random: Math.random, ports });
  const line = createRtpLine({
    transport,
    codec: createMuLawCodec(),
    payloadType: 0,
    remote,
    cname: 'bench',
    nowMs: clock.nowMs,
    random: Math.random,
  });
  const session = createMediaSession(line, rhythm);
  playStream(session, synthesis(200 + n), { sampleRate: SYNTHESIS_RATE });
  if (of === 'recorded') {
    const path = join(folder, `${n}.wav`);
    const onError = (error: unknown): void => {
      throw error;
    };
    recordSession(
      await createRecorder({ path, sampleRate: 8_000, startedAtMs: clock.nowMs(), onError }),
      session,
    );
  }
  return {
    port: transport.port,
    lost: () => session.stats().packetsLost,
    concealedMs: () => session.stats().concealedMs,
  };
}

/** A socket that sends a packet every 20 ms and ignores what comes. */
async function openSocket(): Promise<End> {
  const socket = createSocket('udp4');
  socket.on('message', () => undefined);
  socket.bind(0, HOST);
  await once(socket, 'listening');
  let sequence = 0;
  ticker.subscribe(() => {
    const bytes = Buffer.alloc(PACKET_BYTES);
    sequence = (sequence + 1) & 0xffff;
    bytes.writeUInt16BE(sequence, 2);
    socket.send(bytes, remote.port, remote.address);
  });
  return { port: socket.address().port, lost: () => 0, concealedMs: () => 0 };
}
