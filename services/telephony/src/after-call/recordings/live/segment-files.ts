import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Two channels of 16 bits. */
export const FRAME_BYTES = 4;
export const HEAD_BYTES = 44;
const EXTENSION = '.wav';

export type SegmentFiles = ReturnType<typeof createSegmentFiles>;

/** The files of segments in this process's folder, which other workers may share. */
export function createSegmentFiles(folder: string) {
  const root = join(resolve(folder), 'live');
  const pathOf = (id: string): string => join(root, `${id}${EXTENSION}`);
  return {
    /** Its path, in a folder that exists. */
    prepare: async (id: string): Promise<string> => {
      await mkdir(root, { recursive: true, mode: 0o700 });
      return pathOf(id);
    },
    /** Number of complete frames on disk; null if the file is not here. */
    framesOf: async (id: string): Promise<number | null> => {
      const facts = await stat(pathOf(id)).catch((err: NodeJS.ErrnoException) => {
        if (err.code === 'ENOENT') return null;
        throw err;
      });
      return facts && Math.max(0, Math.floor((facts.size - HEAD_BYTES) / FRAME_BYTES));
    },
    /** Frames from `start` (inclusive) to `end` (exclusive). */
    read: (id: string, start: number, end: number): AsyncIterable<Buffer> =>
      createReadStream(pathOf(id), {
        start: HEAD_BYTES + start * FRAME_BYTES,
        end: HEAD_BYTES + end * FRAME_BYTES - 1,
      }),
    /** The ids of all files. */
    list: async (): Promise<string[]> => {
      const names = await readdir(root).catch(() => []);
      return names.filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length));
    },
    remove: (id: string): Promise<void> => rm(pathOf(id), { force: true }),
  };
}
