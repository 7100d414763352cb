import { readFileSync } from 'node:fs';

/** What all cores together have done since the machine started, in ticks. */
export type CpuTimes = { idle: number; total: number };

/** Undefined where the kernel is not Linux. */
export function readCpuTimes(): CpuTimes | undefined {
  try {
    return parseCpuTimes(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

/** The first line: user, nice, system, idle, iowait, irq, softirq, steal (guests are part of user and nice). */
export function parseCpuTimes(stat: string): CpuTimes {
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = stat
    .slice(0, stat.indexOf('\n'))
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return {
    idle: idle + iowait,
    total: user + nice + system + idle + iowait + irq + softirq + steal,
  };
}

/** Of all cores between two readings, in percent. */
export function idlePercent(before: CpuTimes, after: CpuTimes): number {
  const total = after.total - before.total;
  return total === 0 ? 0 : Math.round((100 * (after.idle - before.idle)) / total);
}
