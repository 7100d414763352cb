import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { realNow } from '@parley/kit/time';
import type { RecordingStore } from './ports.ts';

export type RecordingFilesOptions = {
  folder: string;
  /** Bytes of the disk that must stay free. */
  keepFreeBytes: number;
};

/** Only the service may read recordings, whatever the umask is. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Recordings of calls with audio while they run, in a folder beside the others (`live-recordings.ts`). */
export const LIVE_FOLDER = 'live';

/** Age of unfinished files that a dead process has left behind. */
const ABANDONED_MS = 6 * 3_600_000;
const KEY = /^[\w-][\w.-]*$/;

/**
 * Recordings as files, renamed once they are complete. Folders are named after both ends of the key's UUID, which begins with
 * its time, so that a folder has a few thousand files.
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
      await mkdir(unfinished, { recursive: true, mode: FOLDER_MODE });
      await requireFreeSpace(root, keepFreeBytes);
      try {
        const length = await writeWhole(draft, bytes);
        await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
        await rename(draft, path);
        return length;
      } catch (err) {
        await rm(draft, { force: true });
        throw err;
      }
    },

    read: async (key, start, maxBytes) => {
      const path = pathOf(key);
      if (!(await isThere(path))) return null;
      return buffer(createReadStream(path, { start, end: start + maxBytes - 1 }));
    },

    fileOf: async (key) => {
      const path = pathOf(key);
      return (await isThere(path)) ? path : null;
    },

    remove: async (key) => {
      await rm(pathOf(key), { force: true });
      await rm(join(root, LIVE_FOLDER, key), { force: true });
    },

    sweep: async () => {
      for (const name of await readdir(unfinished).catch(() => [])) {
        const draft = join(unfinished, name);
        if (await isAbandoned(draft)) await rm(draft, { force: true });
      }
    },
  };
}

/** Whether the file exists and nothing was written to it for hours. */
export async function isAbandoned(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => null);
  return facts !== null && facts.mtimeMs < realNow().getTime() - ABANDONED_MS;
}

async function writeWhole(path: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', FILE_MODE);
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

async function requireFreeSpace(folder: string, keepFreeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < keepFreeBytes) throw new Error('the disk for recordings is full');
}
