import type { SampleRate } from 'libopus-wasm';
import type { Codec } from './codec.ts';
import { concatenate, FRAME_MS, samplesIn } from './frame.ts';

// RFC 6716 and 7587: mono speech in 20 ms frames. RTP timestamps count 48,000 a second whatever the sample rate.

const CLOCK_RATE = 48_000;
const MAX_PACKET_MS = 120;
/** Maximum length of an Opus packet (RFC 6716, 3.4); valid packets over UDP are much shorter. */
const MAX_PACKET_BYTES = 1_500;

export type OpusOptions = {
  /** Sample rate of the PCM on both sides. Default: 24,000. */
  sampleRate?: 8_000 | 16_000 | 24_000 | 48_000;
  /** Default: 24,000 bits a second. */
  bitrate?: number;
  /** 0 to 10. The default of 5 costs about 0.3 ms of CPU time a frame, a tenth more than 0 in size. */
  complexity?: number;
  /** Expected loss of packets; above 0 each packet repeats a part of the one before it. Default: 10. */
  lossPercent?: number;
};

/** Opus by libopus in WebAssembly, which is loaded at the first call. Free it with `close`. */
export async function createOpusCodec({
  sampleRate = 24_000,
  bitrate = 24_000,
  complexity = 5,
  lossPercent = 10,
}: OpusOptions = {}): Promise<Codec> {
  const { Application, Signal, createDecoder, createEncoder } = await import('libopus-wasm');
  const rate: SampleRate = sampleRate;
  const frameSize = samplesIn(FRAME_MS, rate);
  const maxFrameSize = samplesIn(MAX_PACKET_MS, rate);
  const decoder = await createDecoder({ channels: 1, sampleRate: rate, maxFrameSize });
  const encoder = await createEncoder({
    channels: 1,
    sampleRate: rate,
    application: Application.Voip,
    signal: Signal.Voice,
    bitrate,
    complexity,
    fec: lossPercent > 0,
    packetLossPercent: lossPercent,
    frameSize,
  });

  return {
    name: 'opus',
    clockRate: CLOCK_RATE,
    sampleRate,
    encode: (samples) => encoder.encode(samples, { maxPacketBytes: MAX_PACKET_BYTES }),
    decode(payload) {
      if (payload.length === 0 || payload.length > MAX_PACKET_BYTES)
        throw new RangeError('Not an Opus packet');
      return decoder.decode(payload);
    },
    conceal(samples, next) {
      const blocks = [];
      // libopus conceals multiples of 2.5 ms and restores at most what one packet holds.
      for (let left = samples; left > 0; left -= frameSize) {
        const last = left <= frameSize;
        blocks.push(last && next ? restore(next) : decoder.decodePacketLoss(frameSize));
      }
      return concatenate(blocks).subarray(0, samples);
    },
    close() {
      decoder.free();
      encoder.free();
    },
  };

  /** The lost packet, from its copy in the next one; without a copy, concealment. */
  function restore(next: Uint8Array): Int16Array {
    try {
      if (next.length > 0) return decoder.decode(next, { decodeFec: true, frameSize });
    } catch {
      // A malformed packet restores nothing.
    }
    return decoder.decodePacketLoss(frameSize);
  }
}
