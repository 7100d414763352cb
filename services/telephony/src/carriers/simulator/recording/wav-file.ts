import { z } from 'zod';
import type { Cue } from '../../../after-call/recordings/ports.ts';
import { SAMPLE_RATE } from './voice.ts';

/** Two channels of 16 bits. */
export const FRAME_BYTES = 4;
export const HEAD_BYTES = 44;
const CHUNK_HEAD_BYTES = 8;
/** Of ours: who said what and when, as JSON. Whoever plays the file passes over it. */
const CUES_CHUNK = 'said';

/**
 * The two ends of a recording with so many frames between them: the head of a WAV file, and behind its samples a chunk
 * with the cues. All lengths are known before the first sample, so that the file can be streamed anywhere.
 */
export function wavEnds(frames: number, cues: readonly Cue[]): { head: Buffer; tail: Buffer } {
  const json = Buffer.from(JSON.stringify(cues));
  const tail = Buffer.concat([chunkHead(CUES_CHUNK, json.length), json, Buffer.alloc(json.length % 2)]);
  const dataBytes = frames * FRAME_BYTES;
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(2, 2);
  format.writeUInt32LE(SAMPLE_RATE, 4);
  format.writeUInt32LE(SAMPLE_RATE * FRAME_BYTES, 8);
  format.writeUInt16LE(FRAME_BYTES, 12);
  format.writeUInt16LE(16, 14);
  const head = Buffer.concat([
    chunkHead('RIFF', HEAD_BYTES - CHUNK_HEAD_BYTES + dataBytes + tail.length),
    Buffer.from('WAVE'),
    chunkHead('fmt ', format.length),
    format,
    chunkHead('data', dataBytes),
  ]);
  return { head, tail };
}

function chunkHead(id: string, length: number): Buffer {
  const head = Buffer.alloc(CHUNK_HEAD_BYTES);
  head.write(id, 'latin1');
  head.writeUInt32LE(length, 4);
  return head;
}

/** Where the cues of a recording begin, by its first `HEAD_BYTES`. */
export function cuesStart(head: Buffer): number {
  if (head.length < HEAD_BYTES || head.toString('latin1', 36, 40) !== 'data')
    throw new Error('not a recording of a simulated call');
  return HEAD_BYTES + head.readUInt32LE(40);
}

const cueSheet = z.array(
  z.object({ speaker: z.enum(['user', 'agent']), atMs: z.number(), text: z.string() }),
);

/** The cues, by what stands at `cuesStart`. */
export function readCues(tail: Buffer): Cue[] {
  if (tail.toString('latin1', 0, 4) !== CUES_CHUNK) throw new Error('the recording has no cues');
  const length = tail.readUInt32LE(4);
  const json = tail.subarray(CHUNK_HEAD_BYTES, CHUNK_HEAD_BYTES + length);
  return cueSheet.parse(JSON.parse(json.toString('utf8')));
}
