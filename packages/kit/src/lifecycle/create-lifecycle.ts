import type { Log } from '../log/index.ts';
import { monotonicMs, realTimer } from '../time/index.ts';

/**
 * The lifecycle of a process. Every resource registers its release when it is opened; stopping runs the releases once, in reverse order:
 * first intake, then work in progress, then connections.
 */
export type Lifecycle = {
  /** Aborts as soon as stopping begins. */
  readonly signal: AbortSignal;
  /** Registers a release. During or after stopping it runs at once, so that nothing stays open. */
  onStop(name: string, release: (stop: Stop) => void | Promise<void>): void;
  /** Runs all releases; concurrent callers wait for the same stop. Never rejects. */
  stop(reason: string, stop?: Stop): Promise<void>;
  /** Sets the deadline (real milliseconds) once the configuration has been read. */
  setDeadline(deadlineMs: number): void;
};

/** `failed`: the process stops because of an error. */
type Stop = { failed: boolean };

type Release = { name: string; release: (stop: Stop) => void | Promise<void> };

/** The minimum for each release after the deadline, enough to close a socket. */
const MIN_SHARE_MS = 1_000;

/** `deadlineMs` bounds the whole stop in real time; a release that takes longer is logged and abandoned. */
export function createLifecycle(log: Log, options: { deadlineMs: number }): Lifecycle {
  const releases: Release[] = [];
  const controller = new AbortController();
  let deadlineMs = options.deadlineMs;
  let endsAtMs = 0;
  let stop: Stop = { failed: false };
  let stopping: Promise<void> | undefined;

  const shareMs = (): number => Math.max(endsAtMs - monotonicMs(), MIN_SHARE_MS);

  const releaseAll = async (reason: string): Promise<void> => {
    log.info({ reason, ...stop }, 'stopping');
    endsAtMs = monotonicMs() + deadlineMs;
    controller.abort(new Error(`stopping: ${reason}`));
    for (let next = releases.pop(); next; next = releases.pop()) {
      await runRelease(log, next, { stop, withinMs: shareMs() });
    }
    log.info('stopped');
  };

  return {
    signal: controller.signal,
    onStop: (name, release) => {
      if (stopping) void runRelease(log, { name, release }, { stop, withinMs: shareMs() });
      else releases.push({ name, release });
    },
    stop: (reason, given = stop) => {
      if (!stopping) stop = given;
      stopping ??= releaseAll(reason);
      return stopping;
    },
    setDeadline: (ms) => {
      deadlineMs = ms;
    },
  };
}

async function runRelease(
  log: Log,
  { name, release }: Release,
  { stop, withinMs }: { stop: Stop; withinMs: number },
): Promise<void> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = realTimer(withinMs, () => reject(new Error(`not released within ${Math.round(withinMs)} ms`)));
  });
  try {
    await Promise.race([(async () => release(stop))(), late]);
  } catch (err) {
    log.error({ err, resource: name }, 'release failed');
  } finally {
    cancel();
  }
}
