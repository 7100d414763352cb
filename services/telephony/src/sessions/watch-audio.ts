import { type Clock, realSleep } from '@parley/kit/time';
import type { MediaSession } from '@parley/media';
import type { RecordedPort } from './recorded-port.ts';
import type { SessionLife } from './session-life.ts';

/** The call ends when no packet of the human arrives for this long. Real time. */
const MEDIA_LOST_MS = 20_000;
const MEDIA_CHECK_MS = 2_000;
/** Stack time. */
const SILENCE_CHECK_MS = 1_000;
/** A greeting ends with this much silence. Real time. */
const GREETING_PAUSE_MS = 1_500;
const MAX_GREETING_MS = 30_000;
const GREETING_CHECK_MS = 100;

/** Calls `onLost` when the audio of the human has stopped arriving. */
export function watchMedia(life: SessionLife, clock: Clock, session: MediaSession, onLost: () => void): void {
  const beganMs = clock.realNow().getTime();
  const check = (): void => {
    const lastMs = session.stats().lastReceivedAtMs ?? beganMs;
    if (clock.realNow().getTime() - lastMs > MEDIA_LOST_MS) onLost();
    else life.after(MEDIA_CHECK_MS * clock.rate, check);
  };
  check();
}

/** Calls `onTimeout` when both sides have been silent for `timeoutMs` (stack time). Returns the function that cancels it. */
export function watchSilence(
  life: SessionLife,
  clock: Clock,
  { port, timeoutMs, onTimeout }: { port: RecordedPort; timeoutMs: number; onTimeout: () => void },
): () => void {
  let cancel = (): void => {};
  const check = (): void => {
    const sinceMs = port.silentSinceMs();
    const silentMs = sinceMs === null ? 0 : (clock.realNow().getTime() - sinceMs) * clock.rate;
    if (silentMs >= timeoutMs) onTimeout();
    else cancel = life.after(Math.min(timeoutMs - silentMs, SILENCE_CHECK_MS), check);
  };
  check();
  return () => cancel();
}

/** Resolves after the greeting of a machine and its beep. */
export async function greetingEnds(clock: Clock, port: RecordedPort, signal: AbortSignal): Promise<void> {
  const beganMs = clock.realNow().getTime();
  for (;;) {
    const nowMs = clock.realNow().getTime();
    const sinceMs = port.silentSinceMs();
    const isQuiet = sinceMs !== null && nowMs - Math.max(sinceMs, beganMs) >= GREETING_PAUSE_MS;
    if (isQuiet || nowMs - beganMs >= MAX_GREETING_MS) return;
    await realSleep(GREETING_CHECK_MS, signal);
  }
}
