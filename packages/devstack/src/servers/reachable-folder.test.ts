import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createPidFiles } from '../processes/pid-files.ts';
import { reachableFolder, removeFromMemory } from './reachable-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-reachable-'));
const name = basename(folder);
const inMemory = join('/dev/shm', name);
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(inMemory, { recursive: true, force: true });
});

const setting = {
  ...{ folder, name, password: 'x', keepData: false },
  ...{ pidFiles: createPidFiles(join(folder, 'pids')), signal: new AbortController().signal },
};

describe('the folder of a private server', () => {
  it('is the given one', async () => {
    expect(await reachableFolder(setting, {})).toBe(folder);
    expect(existsSync(inMemory)).toBe(false);
  });

  it('is in memory on request, where there is room, until it is removed', async () => {
    expect([inMemory, folder]).toContain(await reachableFolder({ ...setting, inMemory: true }, {}));
    removeFromMemory(name);
    expect(existsSync(inMemory)).toBe(false);
  });
});
