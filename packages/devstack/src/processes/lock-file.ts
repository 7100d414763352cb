import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './error-code.ts';
import { commandLine } from './is-alive.ts';

export type Lock = { held: true; release(): void } | { held: false; pid: number };

/**
 * Takes the lock at `path`, or tells who has it. The file names our pid; one that was left by a process that is gone,
 * or whose pid belongs to something without `marker` in its command line by now, doesn't count.
 */
export function takeLock(path: string, marker: string): Lock {
  mkdirSync(dirname(path), { recursive: true });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (link(path)) return { held: true, release: () => release(path) };
    const pid = readPid(path);
    if (commandLine(pid).includes(marker)) return { held: false, pid };
    bury(path, pid);
  }
  return { held: false, pid: readPid(path) };
}

/** Makes the file with its content in one step, so that nobody ever reads an empty one. */
function link(path: string): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${process.pid}\n`);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Puts a stale lock aside; if another was faster and this is its new one already, it gets it back. */
function bury(path: string, stalePid: number): void {
  const grave = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, grave);
    if (!Object.is(readPid(grave), stalePid)) linkSync(grave, path);
  } catch {
    // it is gone, or was taken again meanwhile: the next attempt sees
  }
  rmSync(grave, { force: true });
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

/** Takes the lock as soon as it is free. */
export async function waitForLock(path: string, marker: string): Promise<{ release(): void }> {
  for (;;) {
    const lock = takeLock(path, marker);
    if (lock.held) return lock;
    await sleep(100);
  }
}
