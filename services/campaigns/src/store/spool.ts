import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@parley/kit/errors';

/** What is kept of an upload until it is whole, however slowly it comes: nobody else waits for it meanwhile. */
export type Spool = {
  write(text: string): Promise<void>;
  /** Everything, from its beginning. */
  read(): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

export type Spools = { open(): Spool };

/** Short uploads never see a disk. */
const IN_MEMORY_CHARS = 512 * 1024;
const READ_BYTES = 256 * 1024;

/** Spools of one process: on the disk they hold so much together, and whoever comes beyond that is told to come later. */
export function createSpools(maxBytes: number): Spools {
  let onDisk = 0;

  const openSpool = (): Spool => {
    let held: string[] = [];
    let heldChars = 0;
    let file: FileHandle | undefined;
    let written = 0;

    const spill = async (): Promise<void> => {
      const bytes = Buffer.from(held.join(''));
      if (onDisk + bytes.length > maxBytes) throw full();
      held = [];
      heldChars = 0;
      onDisk += bytes.length;
      written += bytes.length;
      file ??= await openNameless();
      await file.appendFile(bytes);
    };

    return {
      write: async (text) => {
        held.push(text);
        heldChars += text.length;
        if (heldChars > IN_MEMORY_CHARS) await spill();
      },
      async *read() {
        if (file) yield* file.createReadStream({ start: 0, highWaterMark: READ_BYTES, autoClose: false });
        if (held.length > 0) yield Buffer.from(held.join(''));
      },
      close: async () => {
        onDisk -= written;
        written = 0;
        await file?.close();
      },
    };
  };
  return { open: openSpool };
}

/** A file without a name goes with its process, however that ends. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `parley-upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

function full(): AppError {
  const message = 'There is no room for another upload right now';
  return new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 });
}
