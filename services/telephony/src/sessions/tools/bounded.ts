import { createContext, Script } from 'node:vm';

const context = createContext({ work: undefined });
const script = new Script('work()');

/** Whether `bounded` threw because of its timeout. */
export function isOverdue(err: unknown): boolean {
  return (
    typeof err === 'object' && err !== null && 'code' in err && err.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

/** A busy machine can use up the timeout without running this process; the event loop stands still for at most this long. */
const MAX_ATTEMPTS = 10;
const MAX_TOTAL_MS = 1_000;

/** CPU time of this process in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Runs synchronous work with a timeout in milliseconds; throws after it (`isOverdue`). For regular expressions of clients.
 * The timeout of `vm` is wall-clock time: if the process got less than half of it as CPU time, the work runs again.
 */
export function bounded<T>(ms: number, work: () => T): T {
  const deadlineMs = performance.now() + MAX_TOTAL_MS;
  for (let attempt = 1; ; attempt += 1) {
    const startedMs = cpuMs();
    context.work = work;
    try {
      return script.runInContext(context, { timeout: ms }) as T;
    } catch (err) {
      const isStarved = cpuMs() - startedMs <= ms / 2 && performance.now() < deadlineMs;
      if (!isOverdue(err) || attempt === MAX_ATTEMPTS || !isStarved) throw err;
    } finally {
      context.work = undefined;
    }
  }
}
