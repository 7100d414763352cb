import type { Log } from '../log/index.ts';
import { monotonicMs, realTimer } from '../time/index.ts';

/**
 * The life of a process: whoever opens something says here how it is let go, and stopping does so
 * in the opposite order, once: intake, then what is in hand, then connections.
 */
export type Lifecycle = {
  /** Aborts as soon as stopping begins. */
  readonly signal: AbortSignal;
  /** Registers a release. Registered while or after stopping, it runs at once: nothing opened late stays open. */
  onStop(name: string, release: () => void | Promise<void>): void;
  /** Releases everything; every caller waits for the same stop. Never rejects. */
  stop(reason: string): Promise<void>;
  /** Replaces the deadline, in real milliseconds: `main` knows it only once the configuration is read. */
  setDeadline(deadlineMs: number): void;
};

type Release = { name: string; release: () => void | Promise<void> };

/** What a release gets even when those before it have used the deadline up: enough to close a socket. */
const LEAST_SHARE_MS = 1_000;

/** `deadlineMs` bounds the whole stop in real time; a release that is late is logged and left behind. */
export function createLifecycle(log: Log, options: { deadlineMs: number }): Lifecycle {
  const releases: Release[] = [];
  const controller = new AbortController();
  let deadlineMs = options.deadlineMs;
  let endsAtMs = 0;
  let stopping: Promise<void> | undefined;

  const shareMs = (): number => Math.max(endsAtMs - monotonicMs(), LEAST_SHARE_MS);

  const releaseAll = async (reason: string): Promise<void> => {
    log.info({ reason }, 'stopping');
    endsAtMs = monotonicMs() + deadlineMs;
    controller.abort(new Error(`stopping: ${reason}`));
    for (let next = releases.pop(); next; next = releases.pop()) await runRelease(log, next, shareMs());
    log.info('stopped');
  };

  return {
    signal: controller.signal,
    onStop: (name, release) => {
      if (stopping) void runRelease(log, { name, release }, shareMs());
      else releases.push({ name, release });
    },
    stop: (reason) => {
      stopping ??= releaseAll(reason);
      return stopping;
    },
    setDeadline: (ms) => {
      deadlineMs = ms;
    },
  };
}

async function runRelease(log: Log, { name, release }: Release, withinMs: number): Promise<void> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = realTimer(withinMs, () => reject(new Error(`not released within ${Math.round(withinMs)} ms`)));
  });
  try {
    await Promise.race([(async () => release())(), late]);
  } catch (err) {
    log.error({ err, resource: name }, 'release failed');
  } finally {
    cancel();
  }
}
