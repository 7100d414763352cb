import { readFile } from 'node:fs/promises';
import type { Background } from '@parley/devstack';
import { processorMs } from '@parley/testkit/load';

const EVERY_MS = 500;

export type Watch = {
  /** The largest resident memory of each process so far, MiB. */
  peakMib(): Record<string, number>;
  /** Processor time of each process so far, seconds. */
  cpuSeconds(): Promise<Record<string, number>>;
  /** Processes that have ended. */
  ended(): string[];
  stop(): void;
};

/** Reads the memory of each process twice a second. */
export function watchProcesses(processes: Readonly<Record<string, Background>>): Watch {
  const peaks = new Map<string, number>();
  const readMemory = async ([name, { pid }]: [string, Background]): Promise<void> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const kib = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    peaks.set(name, Math.max(peaks.get(name) ?? 0, kib / 1_024));
  };
  const timer = setInterval(() => void Promise.all(Object.entries(processes).map(readMemory)), EVERY_MS);
  const cpuOf = async ([name, { pid }]: [string, Background]): Promise<[string, number]> => [
    name,
    (await processorMs(pid)) / 1_000,
  ];
  return {
    cpuSeconds: async () => Object.fromEntries(await Promise.all(Object.entries(processes).map(cpuOf))),
    peakMib: () => Object.fromEntries(Object.keys(processes).map((name) => [name, peaks.get(name) ?? 0])),
    ended: () => Object.entries(processes).flatMap(([name, process]) => (process.hasExited() ? [name] : [])),
    stop: () => clearInterval(timer),
  };
}
