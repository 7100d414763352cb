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
  type MediaSession,
  recordSession,
} from '@parley/media';
import { HOST, type Report } from './protocol.ts';

const FRAME_MS = 20;
const MIB = 1_024 * 1_024;
const PORTS = { min: 20_000, max: 29_999 };

/** A call or a socket of the measured process. */
export type End = { port: number; lost: () => number; concealedMs: () => number };

const rethrow = (error: unknown): void => {
  throw error;
};

export const clock: MediaClock = { nowMs: monotonicMs, timer: realTimer };
export const ticker = createTicker(clock, rethrow);

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-audio-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());

export const rssMib = (): number => process.memoryUsage().rss / MIB;

/** Opens a call over UDP with the far end. */
export async function openCall(farPort: number): Promise<{ session: MediaSession; end: End }> {
  const transport = await createUdpTransport({ address: HOST, random: Math.random, ports: PORTS });
  const line = createRtpLine({
    transport,
    codec: createMuLawCodec(),
    payloadType: 0,
    remote: { address: HOST, port: farPort },
    cname: 'bench',
    nowMs: clock.nowMs,
    random: Math.random,
  });
  const session = createMediaSession(line, ticker);
  return {
    session,
    end: {
      port: transport.port,
      lost: () => session.stats().packetsLost,
      concealedMs: () => session.stats().concealedMs,
    },
  };
}

export async function record(session: MediaSession, n: number): Promise<void> {
  const path = join(folder, `${n}.wav`);
  const options = { path, sampleRate: 8_000, startedAtMs: clock.nowMs(), onError: rethrow };
  recordSession(await createRecorder(options), session);
}

/** Sends the ports of the ends. Then the message `measure` starts the measurement, and any other requests the report. */
export function reportOn(ends: readonly End[], more: () => Partial<Report> = () => ({})): void {
  process.send?.(ends.map(({ port }) => port));
  let from = snapshot(ends);
  process.on('message', (command) => {
    if (command === 'measure') {
      from = snapshot(ends);
      return;
    }
    const to = snapshot(ends);
    const report: Report = {
      cpu: (to.cpuMs - from.cpuMs) / (to.atMs - from.atMs),
      rssMib: rssMib(),
      lostHere: to.lost - from.lost,
      concealedFrames: Math.round((to.concealedMs - from.concealedMs) / FRAME_MS),
      ...more(),
    };
    process.send?.(report);
  });
}

function snapshot(ends: readonly End[]) {
  const { user, system } = process.cpuUsage();
  const sum = (value: (end: End) => number): number => ends.reduce((total, end) => total + value(end), 0);
  return {
    atMs: clock.nowMs(),
    cpuMs: (user + system) / 1_000,
    lost: sum((end) => end.lost()),
    concealedMs: sum((end) => end.concealedMs()),
  };
}
