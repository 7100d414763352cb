import { monotonicMs, realTimer } from '../time/index.ts';

/** Scrapes of several Prometheus servers, or of a person who looks, cost no more than one. Real time. */
const EVERY_MS = 2_000;
/** A scrape says what it can by then, and the answer is there for the next one. */
const WAIT_MS = 1_000;

/**
 * Asks something that costs a question (a statement, a frame to the broker) at most once in two seconds, one at a time,
 * however often it is scraped. Undefined: there is no answer in time.
 */
export function sampled<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<T | undefined> = Promise.resolve(undefined);
  let isAsking = false;
  return () => {
    if (!isAsking && monotonicMs() - askedAtMs >= EVERY_MS) {
      askedAtMs = monotonicMs();
      isAsking = true;
      answer = ask()
        .catch(() => undefined)
        .finally(() => {
          isAsking = false;
        });
    }
    return inTime(answer);
  };
}

function inTime<T>(answer: Promise<T | undefined>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const cancel = realTimer(WAIT_MS, () => resolve(undefined));
    void answer.then((value) => {
      cancel();
      resolve(value);
    });
  });
}
