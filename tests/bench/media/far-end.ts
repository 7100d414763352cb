import { type ChildProcess, fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { HOST, type Kind, type Report } from './protocol.ts';

const FRAME_MS = 20;
const PHASES = 4;
const WARM_UP_MS = 2_000;
const PAYLOAD_BYTES = 160;
const RTP_HEADER_BYTES = 12;
const RECEIVE_BUFFER_BYTES = 4 * 1_024 * 1_024;

export type Measured = Report & {
  /** Received by the far end during the measurement. */
  packets: number;
  /** Packets lost in both directions. */
  lost: number;
  gapP50Ms: number;
  gapP99Ms: number;
  gapMaxMs: number;
};

/** The µ-law bytes of a frame of a call. */
export type Audio = (frame: number, call: number) => Uint8Array;

type Call = { lastMs: number | undefined; sequence: number | undefined; sent: Buffer };

/** Runs calls in a child process against this far end. */
export async function measureCalls(
  options: {
    calls: number;
    kind: Kind;
    seconds: number;
    nearEnd?: string;
    env?: Record<string, string>;
    audio?: Audio;
  },
  lifecycle: Lifecycle,
): Promise<Measured> {
  const socket = createSocket('udp4');
  socket.bind(0, HOST);
  await once(socket, 'listening');
  socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
  const child = fork(
    options.nearEnd ?? join(import.meta.dirname, 'near-end.ts'),
    [String(options.calls), options.kind, String(socket.address().port)],
    {
      execArgv: [
        '--import',
        'tsx',
        '--conditions=source',
        '--max-semi-space-size=8',
        '--heap-growing-percent=300',
        '--expose-gc',
      ],
      env: { ...process.env, ...options.env },
    },
  );
  lifecycle.onStop('near end', () => void child.kill());
  try {
    const ports = (await message(child)) as number[];
    const calls = new Map(ports.map((port, n) => [port, createCall(n)]));
    const gaps: number[] = [];
    let [measuring, packets, lost] = [false, 0, 0];
    socket.on('message', (bytes, { port }) => {
      const call = calls.get(port);
      if (!call || bytes.length < RTP_HEADER_BYTES + PAYLOAD_BYTES) return;
      const nowMs = performance.now();
      const sequence = bytes.readUInt16BE(2);
      if (measuring && call.lastMs !== undefined && call.sequence !== undefined) {
        gaps.push(nowMs - call.lastMs);
        packets += 1;
        lost += (sequence - call.sequence - 1) & 0xffff;
      }
      call.lastMs = nowMs;
      call.sequence = sequence;
    });
    const stop = sendToAll([...calls.entries()], options.audio, (bytes, port) =>
      socket.send(bytes, port, HOST),
    );
    await sleep(WARM_UP_MS);
    child.send('measure');
    measuring = true;
    await sleep(options.seconds * 1_000);
    measuring = false;
    child.send('report');
    const report = (await message(child)) as Report;
    stop();
    gaps.sort((a, b) => a - b);
    const percentile = (share: number): number => gaps[Math.floor(share * (gaps.length - 1))] ?? 0;
    return {
      ...report,
      packets,
      lost: lost + report.lostHere,
      gapP50Ms: percentile(0.5),
      gapP99Ms: percentile(0.99),
      gapMaxMs: percentile(1),
    };
  } finally {
    child.kill();
    socket.close();
  }
}

async function message(child: ChildProcess): Promise<unknown> {
  const [first] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the near end exited with ${code}`);
    }),
  ]);
  return first;
}

function createCall(n: number): Call {
  const sent = Buffer.alloc(RTP_HEADER_BYTES + PAYLOAD_BYTES, 0xff);
  sent.writeUInt16BE(0x8000, 0);
  sent.writeUInt32BE(0, 4);
  sent.writeUInt32BE(1_000 + n, 8);
  // Not silence, so that lost packets are concealed.
  for (let i = 0; i < PAYLOAD_BYTES; i += 1) sent[RTP_HEADER_BYTES + i] = (i * 7) % 128;
  return { lastMs: undefined, sequence: undefined, sent };
}

/** Sends a packet to every call each 20 ms, to a quarter of the calls every 5 ms. */
function sendToAll(
  calls: readonly [number, Call][],
  audio: Audio | undefined,
  send: (bytes: Buffer, port: number) => void,
): () => void {
  const beganMs = performance.now();
  let ticks = 0;
  const timer = setInterval(() => {
    for (; performance.now() >= beganMs + (ticks * FRAME_MS) / PHASES; ticks += 1) {
      calls.forEach(([port, { sent }], n) => {
        if (n % PHASES !== ticks % PHASES) return;
        const frame = Math.floor(ticks / PHASES);
        // A copy, since the socket may send it later.
        const bytes = Buffer.from(sent);
        bytes.writeUInt16BE(frame & 0xffff, 2);
        bytes.writeUInt32BE((frame * PAYLOAD_BYTES) >>> 0, 4);
        const payload = audio?.(frame, n);
        if (payload) bytes.set(payload, RTP_HEADER_BYTES);
        send(bytes, port);
      });
    }
  }, 1);
  return () => clearInterval(timer);
}
