import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { commandLine } from './is-alive.ts';

const pidFile = z.object({ pid: z.number(), marker: z.string().min(1) });

/**
 * The processes that we have started, on disk, so that the next start after a crash finds those that are left. `marker` is a part of
 * the command line that only our process has, so that nothing else is killed.
 */
export type PidFiles = {
  add(name: string, pid: number, marker: string): void;
  remove(name: string): void;
  /** Ends the processes that an earlier run left; returns their names. */
  killLeftovers(): Promise<string[]>;
};

export function createPidFiles(folder: string): PidFiles {
  const path = (name: string) => join(folder, `${name}.json`);
  const add = (name: string, pid: number, marker: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path(name), JSON.stringify({ pid, marker }));
  };
  const remove = (name: string) => rmSync(path(name), { force: true });

  const killLeftovers = async (): Promise<string[]> => {
    mkdirSync(folder, { recursive: true });
    const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
    const killed = await Promise.all(names.map((name) => killOne(path(name))));
    return names.filter((_, index) => killed[index]);
  };
  return { add, remove, killLeftovers };
}

async function killOne(file: string): Promise<boolean> {
  const parsed = pidFile.safeParse(readJson(file));
  rmSync(file, { force: true });
  if (!parsed.success) return false;
  const { pid, marker } = parsed.data;
  const isOurs = () => commandLine(pid).includes(marker);
  if (!isOurs()) return false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    process.kill(pid, signal);
    for (let waitedMs = 0; waitedMs < 3_000; waitedMs += 50) {
      if (!isOurs()) return true;
      await sleep(50);
    }
  }
  return true;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
