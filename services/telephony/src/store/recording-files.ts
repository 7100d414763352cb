import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { realNow } from '@parley/kit/time';
import type { RecordingStore } from '../domain/recordings/ports.ts';

export type RecordingFilesOptions = {
  folder: string;
  /** Nothing is stored when less than that would be left for everybody else on the disk. */
  keepFreeBytes: number;
};

/** What is unfinished after so long is nobody's any more. */
const ABANDONED_MS = 6 * 3_600_000;
const KEY = /^[\w-][\w.-]*$/;

/**
 * Recordings as files. A file is written under another name and renamed when it is whole; folders are named after the
 * ends of the key, since a key begins with its time: some thousand files a folder.
 */
export function createRecordingFiles({ folder, keepFreeBytes }: RecordingFilesOptions): RecordingStore {
  const root = resolve(folder);
  const unfinished = join(root, 'unfinished');

  const pathOf = (key: string): string => {
    if (!KEY.test(key)) throw new Error(`not the key of a recording: ${key}`);
    const [stem = ''] = key.split('.');
    return join(root, stem.slice(0, 5), stem.slice(-2), key);
  };

  return {
    put: async (key, bytes) => {
      const path = pathOf(key);
      const draft = join(unfinished, `${key}.${randomUUID()}`);
      await mkdir(unfinished, { recursive: true });
      await requireRoom(root, keepFreeBytes);
      try {
        const length = await writeWhole(draft, bytes);
        await mkdir(dirname(path), { recursive: true });
        await rename(draft, path);
        return length;
      } catch (err) {
        await rm(draft, { force: true });
        throw err;
      }
    },

    read: async (key, start, most) => {
      const path = pathOf(key);
      if (!(await isThere(path))) return null;
      return buffer(createReadStream(path, { start, end: start + most - 1 }));
    },

    fileOf: async (key) => {
      const path = pathOf(key);
      return (await isThere(path)) ? path : null;
    },

    remove: (key) => rm(pathOf(key), { force: true }),

    sweep: async () => {
      const before = realNow().getTime() - ABANDONED_MS;
      for (const name of await readdir(unfinished).catch(() => [])) {
        const draft = join(unfinished, name);
        const facts = await stat(draft).catch(() => null);
        if (facts && facts.mtimeMs < before) await rm(draft, { force: true });
      }
    },
  };
}

async function writeWhole(path: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx');
  let length = 0;
  try {
    for await (const chunk of bytes) {
      await file.writeFile(chunk);
      length += chunk.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return length;
}

async function isThere(path: string): Promise<boolean> {
  const facts = await stat(path).catch((err: NodeJS.ErrnoException) => {
    if (err.code === 'ENOENT') return null;
    throw err;
  });
  return facts?.isFile() ?? false;
}

async function requireRoom(folder: string, keepFreeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < keepFreeBytes) throw new Error('the disk of the recordings is full');
}
