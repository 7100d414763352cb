import { answersOk, waitUntilReady } from '@parley/devstack';
import { realSleep } from '@parley/kit/time';

const READY_WITHIN_MS = 60_000;
const PROBE_EVERY_MS = 1_000;
/** So many probes in a row have to fail: for up to two seconds new connections still come to a replica that stops. */
const FAILURES = 2;

/** `onReady` when the replica says so for the first time; `onGone` when it says so no more. Resolves at the first. */
export async function followReadiness(
  url: string,
  { onReady, onGone }: { onReady(): void; onGone(): void },
  signal: AbortSignal,
): Promise<void> {
  await waitUntilReady(url, AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]));
  onReady();
  void watch(url, signal).then(onGone);
}

async function watch(url: string, signal: AbortSignal): Promise<void> {
  for (let failed = 0; failed < FAILURES && !signal.aborted; ) {
    await realSleep(PROBE_EVERY_MS, signal).catch(() => {});
    failed = (await answersOk(url)) ? 0 : failed + 1;
  }
}
