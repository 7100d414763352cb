import { ackDecision } from '../errors/index.ts';
import type { Log } from '../log/index.ts';
import { monotonicMs, realSleep } from '../time/index.ts';

/** `released`: not acknowledged, the broker redelivers it. */
export type Outcome = 'ack' | 'dead' | 'released';

export type TryOptions = {
  tries: number;
  log: Log;
  /** Aborts when the consumer stops or loses its session: no further attempt. */
  signal: AbortSignal;
};

const RETRY_DELAYS_MS = [100, 500, 2_000];
const MAX_RETRY_DELAY_MS = 5_000;
const HOLD_DELAY_MS = 1_000;

/**
 * Retries until `ackDecision` acknowledges or rejects the message. Between attempts it stays unacknowledged in this process, which
 * counts them: the broker cannot delay a message, its `x-delivery-count` includes lost connections, and a republished copy could be a
 * duplicate. A restart resets the count; the queue's delivery limit bounds that.
 */
export async function attemptUntilDecided(
  attempt: () => Promise<void>,
  { tries, log, signal }: TryOptions,
): Promise<Outcome> {
  const startedMs = monotonicMs();
  let tried = 1;
  let held = 0;
  while (true) {
    try {
      await attempt();
      log.debug({ tried, held, durationMs: Math.round(monotonicMs() - startedMs) }, 'message handled');
      return 'ack';
    } catch (err) {
      // It waited for its turn.
      if (signal.aborted && err === signal.reason) return 'released';
      const decision = ackDecision(err, tried, tries);
      if (decision === 'dead') {
        log.error({ err, tried, held }, 'dead letter: handler failed');
        return 'dead';
      }
      const isHold = decision === 'hold';
      if (!isHold) log.warn({ err, tried }, 'message failed, retrying');
      else if (held === 0) log.warn({ err }, 'message waits for a dependency');
      const delayMs = isHold ? HOLD_DELAY_MS : (RETRY_DELAYS_MS[tried - 1] ?? MAX_RETRY_DELAY_MS);
      if (isHold) held += 1;
      else tried += 1;
      if (!(await pause(delayMs, signal))) return 'released';
    }
  }
}

/** False if the signal aborts before the end of the pause. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return realSleep(ms, signal).then(
    () => true,
    () => false,
  );
}
