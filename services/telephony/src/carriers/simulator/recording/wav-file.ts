import { z } from 'zod';
import type { Cue } from '../../../after-call/recordings/ports.ts';
import { SAMPLE_RATE } from './voice.ts';

/** Two channels of 16 bits. */
export const FRAME_BYTES = 4;
export const HEAD_BYTES = 44;
const CHUNK_HEAD_BYTES = 8;
/** A chunk of our own: the spoken lines with speakers and times, as JSON. Players ignore it. */
const CUES_CHUNK = 'said';

/**
 * The head and the tail of a recording with this number of frames in between: the head of a WAV file, and a chunk with the cues
 * after the samples. All lengths are known in advance, so that the file can be streamed.
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

/** The offset of a recording's cues, from its first `HEAD_BYTES`. */
export function cuesStart(head: Buffer): number {
  if (head.length < HEAD_BYTES || head.toString('latin1', 36, 40) !== 'data')
    throw new Error('not a recording of a simulated call');
  return HEAD_BYTES + head.readUInt32LE(40);
}

const cueSheet = z.array(
  z.object({ speaker: z.enum(['user', 'agent']), atMs: z.number(), text: z.string() }),
);

/** The cues, from the bytes at `cuesStart`. */
export function readCues(tail: Buffer): Cue[] {
  if (tail.toString('latin1', 0, 4) !== CUES_CHUNK) throw new Error('the recording has no cues');
  const length = tail.readUInt32LE(4);
  const json = tail.subarray(CHUNK_HEAD_BYTES, CHUNK_HEAD_BYTES + length);
  return cueSheet.parse(JSON.parse(json.toString('utf8')));
}
