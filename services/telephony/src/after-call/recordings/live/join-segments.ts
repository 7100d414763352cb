import { wavHeader } from '@parley/media';
import type { Recording } from '../ports.ts';
import { FRAME_BYTES, HEAD_BYTES } from './segment-files.ts';

/** Frames that one worker recorded, placed on the timeline of the call. */
export type Piece = {
  /** Position of the first frame. */
  start: number;
  frames: number;
  /** Its frames up to `end`, relative to the start of the piece. */
  read(end: number): AsyncIterable<Uint8Array>;
};

const SILENCE = Buffer.alloc(64 * 1024);

/**
 * Joins the pieces in order of their start: silence fills gaps, and where two overlap the later one is used (its worker
 * had taken the call over).
 */
export function joinSegments(pieces: readonly Piece[], sampleRate: number): Recording {
  const ends = pieces.map(({ start, frames }, n) =>
    Math.max(start, Math.min(start + frames, pieces[n + 1]?.start ?? Number.POSITIVE_INFINITY)),
  );
  const total = Math.max(0, ...ends);
  const dataBytes = total * FRAME_BYTES;
  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    yield wavHeader({ sampleRate, channels: 2 }, dataBytes);
    let position = 0;
    for (const [n, piece] of pieces.entries()) {
      const end = ends[n] ?? piece.start;
      if (end <= position) continue;
      yield* silence(piece.start - position);
      yield* exactly(piece.read(end - piece.start), (end - piece.start) * FRAME_BYTES);
      position = end;
    }
  };
  return { seconds: Math.ceil(total / sampleRate), length: HEAD_BYTES + dataBytes, bytes: bytes() };
}

function* silence(frames: number): Generator<Uint8Array> {
  for (let left = frames * FRAME_BYTES; left > 0; left -= SILENCE.length)
    yield SILENCE.subarray(0, Math.min(left, SILENCE.length));
}

/** Pads missing bytes with silence. */
async function* exactly(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const chunk of bytes) {
    if (left <= 0) return;
    yield chunk.length > left ? chunk.subarray(0, left) : chunk;
    left -= chunk.length;
  }
  yield* silence(Math.max(0, left) / FRAME_BYTES);
}
