/** How long each key is pressed and how long the pause after it lasts, in milliseconds. */
export type DtmfOptions = { durationMs?: number; gapMs?: number };

const DEFAULT_DURATION_MS = 100;
const DEFAULT_GAP_MS = 80;
/** Shorter presses are missed by some receivers (RFC 4733, 2.5.2.3 asks for at least 40). */
const MIN_MS = 40;
const MAX_DURATION_MS = 8_000;

type Job = {
  digits: string[];
  durationMs: number;
  gapMs: number;
  resolve: () => void;
  reject: (error: unknown) => void;
};

/** Presses keys one after the other. */
export type DigitQueue = {
  send(digits: string, options?: DtmfOptions): Promise<void>;
  tick(nowMs: number): void;
  /** Resolves all pending presses without pressing them. */
  clear(): void;
};

export function createDigitQueue(press: (digit: string, durationMs: number) => void): DigitQueue {
  const jobs: Job[] = [];
  let busyUntilMs = Number.NEGATIVE_INFINITY;

  return {
    send(digits, { durationMs = DEFAULT_DURATION_MS, gapMs = DEFAULT_GAP_MS } = {}) {
      return new Promise((resolve, reject) => {
        const limited = Math.min(MAX_DURATION_MS, Math.max(MIN_MS, durationMs));
        jobs.push({
          digits: [...digits],
          durationMs: limited,
          gapMs: Math.max(MIN_MS, gapMs),
          resolve,
          reject,
        });
      });
    },
    tick(nowMs) {
      if (nowMs < busyUntilMs) return;
      while (jobs[0]?.digits.length === 0) jobs.shift()?.resolve();
      const job = jobs[0];
      const digit = job?.digits.shift();
      if (!job || digit === undefined) return;
      try {
        press(digit, job.durationMs);
        busyUntilMs = nowMs + job.durationMs + job.gapMs;
      } catch (error) {
        jobs.shift();
        job.reject(error);
      }
    },
    clear() {
      for (const { resolve } of jobs.splice(0)) resolve();
    },
  };
}
