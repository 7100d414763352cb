import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * An empty temporary file without a name: it disappears with the processes that have it open, however they end, so that nothing stays on the disk,
 * where an erasure would not find it. A program gets it by its `stdio`, and opens it as `/dev/fd/N`.
 */
export async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `parley-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
