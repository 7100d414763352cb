import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { anyFreePort, createPortReservations, isPortFree } from './ports.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-ports-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

// Our own process holds the locks: a part of its command line stands for that of `npm start`.
const reservations = () => createPortReservations('jest', '127.0.0.1', folder);

describe('createPortReservations', () => {
  it('skips a port in use', async () => {
    const server = createServer();
    const port = await anyFreePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const taken = await reservations().take(port);
    await new Promise((resolve) => server.close(resolve));
    expect(taken).toBeGreaterThan(port);
  });

  it('skips a port that is reserved for another stack, until it is released', async () => {
    const first = reservations();
    const port = await first.take(await anyFreePort());
    expect(await isPortFree(port)).toBe(true);
    expect(await reservations().take(port)).not.toBe(port);
    first.release();
    expect(await reservations().take(port)).toBe(port);
  });
});
