import { answersOk, waitUntilReady } from '@parley/devstack';
import { realSleep, withDeadline } from '@parley/kit/time';

const READY_WITHIN_MS = 60_000;
const PROBE_EVERY_MS = 1_000;
/** Consecutive failed probes before removal: a stopping replica still gets new connections for up to two seconds. */
const FAILURES = 2;

/** Calls `onReady` when the replica becomes ready, then resolves; calls `onGone` when it no longer is. */
export async function followReadiness(
  url: string,
  { onReady, onGone }: { onReady(): void; onGone(): void },
  signal: AbortSignal,
): Promise<void> {
  await withDeadline(READY_WITHIN_MS, (either) => waitUntilReady(url, either), signal);
  onReady();
  void watch(url, signal).then(onGone);
}

async function watch(url: string, signal: AbortSignal): Promise<void> {
  for (let failed = 0; failed < FAILURES && !signal.aborted; ) {
    await realSleep(PROBE_EVERY_MS, signal).catch(() => {});
    failed = (await answersOk(url)) ? 0 : failed + 1;
  }
}
