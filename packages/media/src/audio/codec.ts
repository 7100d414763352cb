import { createConcealer } from './concealment.ts';
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from './g711.ts';
import { createG722Decoder, createG722Encoder } from './g722.ts';

/** Encodes one stream and decodes another; both have state, so a codec belongs to one session. */
export type Codec = {
  /** As in SDP's rtpmap. */
  readonly name: 'PCMU' | 'PCMA' | 'G722' | 'opus';
  /** RTP timestamp units per second. */
  readonly clockRate: number;
  /** Samples per second of PCM on both sides. */
  readonly sampleRate: number;
  /** Payload of one 20 ms frame. Throws RangeError if the frame has another length. */
  encode(samples: Int16Array): Uint8Array;
  /** Samples of one packet, up to 120 ms. Throws if the payload is malformed; the codec remains usable. */
  decode(payload: Uint8Array): Int16Array;
  /** Replaces lost samples. `next` is the payload that follows the gap: some codecs restore the last lost packet from it. */
  conceal(samples: number, next?: Uint8Array): Int16Array;
  /** Frees the codec, which must not be used afterwards. */
  close(): void;
};

const G711_RATE = 8_000;
const G722_RATE = 16_000;

/** PCMU (payload type 0). */
export function createMuLawCodec(): Codec {
  return createConcealed('PCMU', G711_RATE, encodeMuLaw, decodeMuLaw);
}

/** PCMA (payload type 8). */
export function createALawCodec(): Codec {
  return createConcealed('PCMA', G711_RATE, encodeALaw, decodeALaw);
}

/** Speech of 7 kHz (payload type 9). Due to an error in an early RFC, its RTP clock runs at 8,000 Hz (RFC 3551, 4.5.2). */
export function createG722Codec(): Codec {
  return createConcealed('G722', G722_RATE, createG722Encoder(), createG722Decoder());
}

/** A codec without concealment of its own, whose RTP clock runs at 8,000 Hz. */
function createConcealed(
  name: Codec['name'],
  sampleRate: number,
  encode: (samples: Int16Array) => Uint8Array,
  decode: (bytes: Uint8Array) => Int16Array,
): Codec {
  const concealer = createConcealer(sampleRate);
  return {
    name,
    clockRate: G711_RATE,
    sampleRate,
    encode,
    decode: (payload) => concealer.accept(decode(payload)),
    conceal: (samples) => concealer.conceal(samples),
    close: () => undefined,
  };
}
