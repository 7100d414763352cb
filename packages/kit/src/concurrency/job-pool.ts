export type JobPoolOptions<Job> = {
  concurrency: number;
  /** Claims at most `max` jobs, in addition to those that are running. */
  claim(max: number, running: readonly Job[]): Promise<Job[]>;
  /** Must not reject. */
  work(job: Job, signal: AbortSignal): Promise<void>;
  /** Called when a job ends while there may be more to claim: run `fill` again. */
  onSlotFree(): void;
};

export type JobPool = {
  /** Claims and starts as many jobs as there are free slots, without waiting for them. True if there may be more to claim. */
  fill(signal: AbortSignal): Promise<boolean>;
  /** Resolves when the running jobs have ended. */
  drained(): Promise<void>;
};

/** Runs claimed jobs concurrently, so that a slow one delays no other; `fill` is the body of a job loop. */
export function createJobPool<Job>({ concurrency, claim, work, onSlotFree }: JobPoolOptions<Job>): JobPool {
  const running = new Map<Promise<void>, Job>();
  // A claim may return fewer jobs than there are slots, and more later, when its workspaces have ended some.
  let mayBeMore = false;
  return {
    fill: async (signal) => {
      const free = concurrency - running.size;
      mayBeMore = true;
      if (free <= 0) return false;
      const jobs = await claim(free, [...running.values()]);
      mayBeMore = jobs.length > 0;
      for (const job of jobs) {
        const done = work(job, signal).finally(() => {
          running.delete(done);
          if (mayBeMore) onSlotFree();
        });
        running.set(done, job);
      }
      return jobs.length === free;
    },
    drained: async () => {
      await Promise.all(running.keys());
    },
  };
}
