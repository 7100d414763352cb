import type { Bucket } from '../s3/bucket.ts';
import { FRAME_BYTES, type SegmentFiles } from './segment-files.ts';

/** Copies of segments in the bucket, for workers that don't share a disk: pieces, named by the position of their first frame. */
export type SegmentCopies = {
  /** Copies frames from `start` up to `end`. Returns the position up to which the bucket has them. */
  copy(segment: Copied, start: number, end: number): Promise<number>;
  /** The number of frames in the bucket, from the first one up to the first gap. */
  framesOf(segment: Copied): Promise<number>;
  /** Frames up to `end`. */
  read(segment: Copied, end: number): AsyncIterable<Buffer>;
  /** Removes all pieces of a segment; without an id, those of the whole call. */
  remove(segment: { callId: string; id?: string }): Promise<void>;
};

type Copied = { callId: string; id: string };
type Piece = { key: string; start: number; end: number };

/** About a minute of wideband audio. */
const MAX_FRAMES = 1_000_000;
const POSITION_DIGITS = 10;

export function createSegmentCopies(bucket: Bucket, files: SegmentFiles): SegmentCopies {
  const prefixOf = ({ callId, id }: { callId: string; id?: string }): string =>
    id === undefined ? `live/${callId}/` : `live/${callId}/${id}/`;

  /** Contiguous pieces; a piece may overlap the one before. */
  const piecesOf = async (segment: Copied): Promise<Piece[]> => {
    const pieces: Piece[] = [];
    let position = 0;
    for await (const { key, size } of bucket.list(prefixOf(segment))) {
      const start = Number(key.slice(-POSITION_DIGITS));
      const end = start + Math.floor(size / FRAME_BYTES);
      if (start > position) break;
      if (end <= position) continue;
      pieces.push({ key, start, end });
      position = end;
    }
    return pieces;
  };

  return {
    copy: async (segment, start, end) => {
      let position = start;
      while (position < end) {
        const stop = Math.min(end, position + MAX_FRAMES);
        const key = `${prefixOf(segment)}${String(position).padStart(POSITION_DIGITS, '0')}`;
        const length = (stop - position) * FRAME_BYTES;
        await bucket.put(key, { length, bytes: files.read(segment.id, position, stop) });
        position = stop;
      }
      return position;
    },
    framesOf: async (segment) => (await piecesOf(segment)).at(-1)?.end ?? 0,
    async *read(segment, end) {
      let position = 0;
      for (const piece of await piecesOf(segment)) {
        if (position >= end) return;
        const part = {
          start: (position - piece.start) * FRAME_BYTES,
          end: (Math.min(piece.end, end) - piece.start) * FRAME_BYTES - 1,
        };
        const bytes = await bucket.read(piece.key, part);
        if (bytes) yield bytes;
        position = Math.min(piece.end, end);
      }
    },
    remove: async (segment) => {
      for await (const { key } of bucket.list(prefixOf(segment))) await bucket.remove(key);
    },
  };
}
