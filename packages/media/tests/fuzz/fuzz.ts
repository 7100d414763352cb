import { createSampleQueue } from '../../src/audio/sample-queue.ts';
import {
  type Codec,
  createMuLawCodec,
  createOpusCodec,
  createRtpLine,
  type PacketTransport,
  type RtpLine,
} from '../../src/index.ts';
import { serializeRtp } from '../../src/rtp/packet.ts';
import { serializeRtcp } from '../../src/rtp/rtcp.ts';
import { createRandom, tone } from '../../src/testing/index.ts';

// Malformed packets against everything that reads packets. Most are valid ones with a few wrong bits, since pure noise is
// rejected by the first check.

const FROM = { address: '192.0.2.1', port: 4_000 };
const OPUS_RATE = 24_000;
const PACKETS_PER_TICK = 5;
const MAX_PACKET_BYTES = 1_600;

type Random = () => number;
type Target = { line: RtpLine; receive(bytes: Uint8Array, channel: 'rtp' | 'rtcp'): void };

export type FuzzResult = {
  packets: number;
  /** Packets that the line used in spite of their faults, and those that it refused. */
  used: number;
  refused: number;
  /** Frames that didn't have the right number of samples. */
  badFrames: number;
  /** Most audio that a line held at once. */
  maxBufferMs: number;
  /** Opus payloads that the decoder took, and those that it refused. */
  decoded: number;
  undecodable: number;
};

/** Throws if anything throws that must not. `onProgress` is called after every tenth of the packets. */
export async function fuzz(
  options: { packets: number; seed: number },
  onProgress: (share: number) => void = () => undefined,
): Promise<FuzzResult> {
  const random = createRandom(options.seed);
  const opus = await createOpusCodec({ sampleRate: OPUS_RATE, complexity: 0 });
  const opusPayloads = encodeSome(opus);
  const targets = [
    createTarget(createMuLawCodec(), random),
    createTarget(await createOpusCodec({ complexity: 0 }), random),
  ];
  const result: FuzzResult = {
    packets: options.packets,
    used: 0,
    refused: 0,
    badFrames: 0,
    maxBufferMs: 0,
    decoded: 0,
    undecodable: 0,
  };
  let nowMs = 0;
  let sequence = 0;

  for (let n = 0; n < options.packets; n += 1) {
    const target = targets[n % targets.length] as Target;
    const payload = opusPayloads[n % opusPayloads.length] as Uint8Array;
    sequence = (sequence + 1) % 65_536;
    const kind = random();
    if (kind < 0.6) target.receive(damage(rtpPacket(payload, sequence, nowMs, random), random), 'rtp');
    else if (kind < 0.8)
      target.receive(damage(rtcpPacket(nowMs, random), random), random() < 0.5 ? 'rtp' : 'rtcp');
    else decode(opus, damage(payload, random), result);
    if (n % PACKETS_PER_TICK === 0) {
      nowMs += 20;
      time.nowMs = nowMs;
      for (const { line } of targets) tick(line, nowMs, result);
    }
    if ((n + 1) % Math.ceil(options.packets / 10) === 0) onProgress((n + 1) / options.packets);
  }
  for (const { line } of targets) {
    const { packetsReceived, packetsRejected } = line.stats();
    result.used += packetsReceived;
    result.refused += packetsRejected;
    line.close();
  }
  opus.close();
  return result;
}

const time = { nowMs: 0 };

function createTarget(codec: Codec, random: Random): Target {
  let receive: Target['receive'] = () => undefined;
  const transport: PacketTransport = {
    send: () => undefined,
    onPacket(listener) {
      receive = (bytes, channel) => listener(bytes, channel, FROM);
    },
    close: () => undefined,
  };
  const line = createRtpLine({
    transport,
    codec,
    payloadType: codec.name === 'opus' ? 111 : 0,
    dtmfPayloadType: 101,
    remote: FROM,
    cname: 'fuzz',
    nowMs: () => time.nowMs,
    random,
  });
  return { line, receive: (bytes, channel) => receive(bytes, channel) };
}

function tick(line: RtpLine, nowMs: number, result: FuzzResult): void {
  const { samples } = line.receive(nowMs);
  if (samples.length !== line.sampleRate / 50) result.badFrames += 1;
  line.send(samples, nowMs);
  result.maxBufferMs = Math.max(result.maxBufferMs, line.stats().bufferMs);
}

function decode(opus: Codec, payload: Uint8Array, result: FuzzResult): void {
  try {
    const samples = opus.decode(payload);
    if (samples.length === 0 || samples.length > 0.12 * OPUS_RATE)
      throw new Error(`${samples.length} samples`);
    result.decoded += 1;
  } catch {
    result.undecodable += 1;
    opus.conceal(OPUS_RATE / 50, payload);
  }
}

function rtpPacket(payload: Uint8Array, sequence: number, nowMs: number, random: Random): Uint8Array {
  const types = [0, 111, 101, 13, Math.floor(random() * 128)];
  return serializeRtp({
    payloadType: types[Math.floor(random() * types.length)] ?? 0,
    sequence,
    timestamp: random() < 0.02 ? Math.floor(random() * 2 ** 32) : (nowMs * 8) % 2 ** 32,
    ssrc: random() < 0.02 ? Math.floor(random() * 2 ** 32) : 77,
    marker: random() < 0.1,
    payload,
  });
}

function rtcpPacket(nowMs: number, random: Random): Uint8Array {
  const report = {
    ssrc: Math.floor(random() * 2 ** 32),
    fractionLost: random(),
    totalLost: Math.floor(random() * 1e6),
    highestSequence: Math.floor(random() * 2 ** 32),
    jitter: Math.floor(random() * 1e6),
    lastSenderReport: Math.floor(random() * 2 ** 32),
    delaySinceSenderReport: Math.floor(random() * 1e6),
  };
  const sender = { nowMs, rtpTimestamp: 1, packets: 1, octets: 1 };
  return serializeRtcp({ ssrc: 77, cname: 'x'.repeat(random() * 40), sender, report, bye: random() < 0.2 });
}

function damage(bytes: Uint8Array, random: Random): Uint8Array {
  const kind = random();
  if (kind < 0.1) return noise(Math.floor(random() * 200), random);
  if (kind < 0.12) return noise(Math.floor(random() * MAX_PACKET_BYTES * 2), random);
  let damaged = bytes.slice();
  if (kind < 0.4) damaged = damaged.subarray(0, Math.floor(random() * damaged.length));
  else if (kind < 0.5) damaged = Uint8Array.from([...damaged, ...noise(Math.floor(random() * 60), random)]);
  for (let flips = Math.floor(random() * 5); flips > 0 && damaged.length > 0; flips -= 1) {
    // The head decides how the rest is read.
    const reach = random() < 0.7 ? Math.min(24, damaged.length) : damaged.length;
    damaged[Math.floor(random() * reach)] = Math.floor(random() * 256);
  }
  return damaged;
}

function noise(length: number, random: Random): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256));
}

function encodeSome(opus: Codec): Uint8Array[] {
  const queue = createSampleQueue();
  queue.push(tone(300, 1_000, OPUS_RATE));
  return Array.from({ length: 50 }, () => opus.encode(queue.shift(OPUS_RATE / 50)));
}
