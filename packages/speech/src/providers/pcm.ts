import { malformed } from './failures.ts';

const WAV_HEADER_BYTES = 44;

/** 16-bit little-endian samples from bytes in chunks of any size. */
export type PcmReader = { read(bytes: Uint8Array): Int16Array };

/** Some local servers answer `pcm` with a WAV file: its header is skipped. Throws SpeechError if its rate is another one. */
export function createPcmReader(provider: string, sampleRate: number): PcmReader {
  let rest: Buffer = Buffer.alloc(0);
  let isStart = true;

  const withoutHeader = (bytes: Buffer): Buffer => {
    const rate = bytes.readUInt32LE(24);
    if (bytes.readUInt16LE(22) !== 1 || bytes.readUInt16LE(34) !== 16 || rate !== sampleRate) {
      throw malformed(
        provider,
        `the audio must be 16-bit mono at ${sampleRate} Hz, but the WAV has ${rate} Hz`,
      );
    }
    const data = bytes.indexOf('data', 12, 'latin1');
    return bytes.subarray(data === -1 ? WAV_HEADER_BYTES : data + 8);
  };

  return {
    read: (bytes) => {
      let all: Buffer = Buffer.concat([rest, bytes]);
      if (isStart) {
        const isWav = all.subarray(0, 4).toString('latin1') === 'RIFF'.slice(0, all.length);
        if (all.length < 4 || (isWav && all.length < WAV_HEADER_BYTES)) {
          rest = all;
          return new Int16Array(0);
        }
        if (isWav) all = withoutHeader(all);
        isStart = false;
      }
      const whole = all.length - (all.length % 2);
      rest = all.subarray(whole);
      // Copied: a pooled buffer may start at an odd offset.
      return new Int16Array(new Uint8Array(all.subarray(0, whole)).buffer);
    },
  };
}

/** A copy as bytes in the order of the machine, which is little-endian wherever Node runs. */
export function bytesOf(samples: Int16Array): Buffer {
  return Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
}

export function wavOf(pcm: Uint8Array, sampleRate: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + pcm.byteLength, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcm.byteLength, 40);
  return Buffer.concat([header, pcm]);
}
