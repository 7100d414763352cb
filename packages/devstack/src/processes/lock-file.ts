import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './error-code.ts';
import { commandLine } from './is-alive.ts';

export type Lock = { held: true; release(): void } | { held: false; pid: number };

/**
 * Acquires the lock at `path`, or returns its holder. The file contains our pid. A lock is stale if its process has exited, or if
 * its pid was reused by a process without `marker` in its command line.
 */
export function takeLock(path: string, marker: string): Lock {
  mkdirSync(dirname(path), { recursive: true });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (link(path)) return { held: true, release: () => release(path) };
    const pid = readPid(path);
    if (commandLine(pid).includes(marker)) return { held: false, pid };
    removeStaleLock(path, pid);
  }
  return { held: false, pid: readPid(path) };
}

/** Creates the file with its content atomically, so that readers never see an empty file. */
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

/** Moves a stale lock away, and restores it if another process has replaced it in the meantime. */
function removeStaleLock(path: string, stalePid: number): void {
  const grave = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, grave);
    if (!Object.is(readPid(grave), stalePid)) linkSync(grave, path);
  } catch {
    // It was removed or acquired in the meantime; the next attempt finds out.
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

/** Waits for the lock and acquires it. */
export async function waitForLock(path: string, marker: string): Promise<{ release(): void }> {
  for (;;) {
    const lock = takeLock(path, marker);
    if (lock.held) return lock;
    await sleep(100);
  }
}
