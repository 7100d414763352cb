import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createPidFiles } from '../processes/pid-files.ts';
import { reachableFolder, removeFromMemory } from './reachable-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-reachable-'));
const name = basename(folder);
const inMemory = join('/dev/shm', name);
/** Linux has it. */
const hasMemory = existsSync('/dev/shm');
const prefixes = [`${name}-swept`, `${name}-other`] as const;
/** No system has a pid this great. */
const DEAD_PID = 2 ** 31 - 2;

const folderOf = (prefix: string, pid: number): string => join('/dev/shm', `${prefix}-${pid}`);
const left = prefixes.flatMap((prefix) => [DEAD_PID, process.pid].map((pid) => folderOf(prefix, pid)));

afterAll(() => {
  rmSync(folder, { recursive: true });
  for (const path of [inMemory, ...left]) rmSync(path, { recursive: true, force: true });
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

  it('is in memory on request, where there is room', async () => {
    const withRoomFor = (bytes: number) => reachableFolder({ ...setting, inMemory: true }, {}, bytes);
    expect(await withRoomFor(Number.MAX_SAFE_INTEGER)).toBe(folder);
    expect(await withRoomFor(1)).toBe(hasMemory ? inMemory : folder);
  });

  it('is removed from memory when the process in its name is gone, if its prefix is ours', () => {
    if (hasMemory) for (const path of left) mkdirSync(path);
    const before = left.filter(existsSync);
    removeFromMemory(prefixes[0]);
    expect(left.filter(existsSync)).toEqual(
      before.filter((path) => path !== folderOf(prefixes[0], DEAD_PID)),
    );
  });
});
