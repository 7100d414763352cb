/** Timers that were set and have neither fired nor been cleared, by where they were set. Call `stop` at the end. */
export type OpenTimers = { readonly where: readonly string[]; stop(): void };

/** Counts the timers of this file's modules from now on. */
export function watchTimers(): OpenTimers {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const open = new Map<unknown, string>();
  const note = <T>(timer: T): T => {
    const where = new Error('timer').stack?.split('\n').slice(2, 6).join('\n') ?? '';
    // `fetch` keeps idle connections for a while.
    if (!where.includes('undici')) open.set(timer, where);
    return timer;
  };
  const forget =
    (clear: (timer: never) => void) =>
    (timer: unknown): void => {
      open.delete(timer);
      clear(timer as never);
    };
  const replaced = {
    setTimeout: (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const timer = setTimeout(() => {
        open.delete(timer);
        act(...args);
      }, ms);
      return note(timer);
    },
    setInterval: (act: () => void, ms?: number) => note(setInterval(act, ms)),
    clearTimeout: forget(clearTimeout),
    clearInterval: forget(clearInterval),
  };
  Object.assign(globalThis, replaced);
  return {
    get where() {
      return [...open.values()];
    },
    stop: () => void Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval }),
  };
}
