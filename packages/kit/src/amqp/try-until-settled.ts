import { ackDecision } from '../errors/index.ts';
import type { Log } from '../log/index.ts';
import { monotonicMs, realSleep } from '../time/index.ts';

/** `let go`: neither, the broker will hand it out again. */
export type Outcome = 'ack' | 'dead' | 'let go';

export type TryOptions = {
  tries: number;
  log: Log;
  /** Aborts when the consumer stops or has lost its session: no further try then. */
  signal: AbortSignal;
};

const RETRY_AFTER_MS = [100, 500, 2_000];
const LAST_RETRY_AFTER_MS = 5_000;
const HOLD_MS = 1_000;

/**
 * Tries until the policy (`ackDecision`) knows what becomes of the message. Between tries it stays in hand,
 * unacknowledged, and tries are counted here: the broker can't delay a message, its `x-delivery-count` also counts
 * lost connections, and a copy with a header of our own could be published twice. A process that dies starts the
 * count anew; the queue's delivery limit bounds that.
 */
export async function tryUntilSettled(
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
      const decision = ackDecision(err, tried, tries);
      if (decision === 'dead') {
        log.error({ err, tried, held }, 'dead letter: its handler failed');
        return 'dead';
      }
      const isHold = decision === 'hold';
      if (!isHold) log.warn({ err, tried }, 'message failed, trying again');
      else if (held === 0) log.warn({ err }, 'message waits for a dependency');
      const waitMs = isHold ? HOLD_MS : (RETRY_AFTER_MS[tried - 1] ?? LAST_RETRY_AFTER_MS);
      if (isHold) held += 1;
      else tried += 1;
      if (!(await pause(waitMs, signal))) return 'let go';
    }
  }
}

/** Whether the wait came to its end. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return realSleep(ms, signal).then(
    () => true,
    () => false,
  );
}
