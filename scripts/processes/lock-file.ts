import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { commandLine } from './is-alive.ts';

export type Lock = { held: true; release(): void } | { held: false; pid: number };

/**
 * Takes the lock at `path`, or tells who has it. The file names our pid; one that was left by a process that is gone,
 * or whose pid belongs to something without `marker` in its command line by now, doesn't count.
 */
export function takeLock(path: string, marker: string): Lock {
  mkdirSync(dirname(path), { recursive: true });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
      return { held: true, release: () => release(path) };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const pid = readPid(path);
    if (commandLine(pid).includes(marker)) return { held: false, pid };
    rmSync(path, { force: true });
  }
  return { held: false, pid: readPid(path) };
}

function release(path: string): void {
  if (readPid(path) === process.pid) rmSync(path, { force: true });
}

function readPid(path: string): number {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10);
  } catch {
    return Number.NaN;
  }
}
