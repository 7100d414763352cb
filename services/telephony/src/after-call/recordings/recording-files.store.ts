import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { realNow } from '@parley/kit/time';
import { type RecordingStore, RecordingStoreError } from './ports.ts';
import { prefixOf } from './recording-keys.ts';

export type RecordingFilesOptions = {
  folder: string;
  /** Bytes of the disk that must stay free. */
  keepFreeBytes: number;
};

/** Only the service may read recordings, whatever the umask is. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

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
    put: async (key, { bytes }) => {
      const path = pathOf(key);
      const draft = join(unfinished, `${key}.${randomUUID()}`);
      await onDisk(mkdir(unfinished, { recursive: true, mode: FOLDER_MODE }));
      await onDisk(requireFreeSpace(root, keepFreeBytes));
      try {
        await writeWhole(draft, bytes);
        await onDisk(mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE }));
        await onDisk(rename(draft, path));
      } catch (err) {
        await removeFile(draft);
        throw err;
      }
    },

    read: async (key, start, maxBytes) => {
      const path = pathOf(key);
      if (!(await isThere(path))) return null;
      return onDisk(buffer(createReadStream(path, { start, end: start + maxBytes - 1 })));
    },

    open: async (key) => {
      const file = pathOf(key);
      return (await isThere(file)) ? { file } : null;
    },

    remove: async (key) => removeFile(pathOf(key)),

    removeAll: async (callId) => {
      // Unfinished ones first: their processes can rename them no more.
      await removeBeginning(unfinished, prefixOf(callId));
      await removeBeginning(dirname(pathOf(callId)), prefixOf(callId));
    },

    sweep: async () => {
      const before = realNow().getTime() - ABANDONED_MS;
      for (const name of await readdir(unfinished).catch(() => [])) {
        const draft = join(unfinished, name);
        const facts = await stat(draft).catch(() => null);
        if (facts && facts.mtimeMs < before) await removeFile(draft);
      }
    },
  };
}

async function removeBeginning(folder: string, prefix: string): Promise<void> {
  const names = await onDisk(readdir(folder).catch(unlessMissing([])));
  for (const name of names) if (name.startsWith(prefix)) await removeFile(join(folder, name));
}

const removeFile = (path: string): Promise<void> => onDisk(rm(path, { force: true }));

const unlessMissing =
  <T>(other: T) =>
  (err: NodeJS.ErrnoException): T => {
    if (err.code === 'ENOENT') return other;
    throw err;
  };

/** A full, missing or failing disk is a temporary error. */
function onDisk<T>(work: Promise<T>): Promise<T> {
  return work.catch((err: unknown) => {
    throw new RecordingStoreError(err);
  });
}

async function writeWhole(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await onDisk(open(path, 'wx', FILE_MODE));
  try {
    for await (const chunk of bytes) await onDisk(file.writeFile(chunk));
    await onDisk(file.sync());
  } finally {
    await onDisk(file.close());
  }
}

async function isThere(path: string): Promise<boolean> {
  const facts = await onDisk(stat(path).catch(unlessMissing(null)));
  return facts?.isFile() ?? false;
}

async function requireFreeSpace(folder: string, keepFreeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < keepFreeBytes) throw new Error('the disk for recordings is full');
}
