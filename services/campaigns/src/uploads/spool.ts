import type { FileHandle } from 'node:fs/promises';
import { AppError } from '@parley/kit/errors';
import { openNameless } from '@parley/kit/files';

/** Holds an upload until it is complete, however slowly it arrives. */
export type Spool = {
  write(text: string): Promise<void>;
  /** Everything, from the beginning. */
  read(): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

export type Spools = { open(workspaceId: string): Spool };

/** Above this size the spool moves to a file. */
const IN_MEMORY_CHARS = 512 * 1024;
const READ_BYTES = 256 * 1024;

/**
 * The spools of this process. Their files take at most `maxBytes` together (503 beyond), and those of one workspace half of it
 * (429 beyond).
 */
export function createSpools(maxBytes: number): Spools {
  let onDisk = 0;
  const ofWorkspaces = new Map<string, number>();
  const grow = (workspaceId: string, bytes: number): void => {
    onDisk += bytes;
    const held = (ofWorkspaces.get(workspaceId) ?? 0) + bytes;
    if (held > 0) ofWorkspaces.set(workspaceId, held);
    else ofWorkspaces.delete(workspaceId);
  };

  const openSpool = (workspaceId: string): Spool => {
    let held: string[] = [];
    let heldChars = 0;
    let file: FileHandle | undefined;
    let written = 0;

    const spill = async (): Promise<void> => {
      const bytes = Buffer.from(held.join(''));
      if ((ofWorkspaces.get(workspaceId) ?? 0) + bytes.length > maxBytes / 2) throw workspaceFull();
      if (onDisk + bytes.length > maxBytes) throw full();
      held = [];
      heldChars = 0;
      grow(workspaceId, bytes.length);
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
        grow(workspaceId, -written);
        written = 0;
        await file?.close();
      },
    };
  };
  return { open: openSpool };
}

function workspaceFull(): AppError {
  const message =
    'The running uploads of this workspace exceed its share of the disk space; try again when one has finished';
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds: 5 });
}

function full(): AppError {
  const message = 'There is no disk space for another upload right now; try again shortly';
  return new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5 });
}
