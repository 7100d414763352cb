export type JobPoolOptions<Job> = {
  concurrency: number;
  /** Claims at most `max` jobs, in addition to those that are running. */
  claim(max: number, running: readonly Job[]): Promise<Job[]>;
  /** Must not reject. */
  work(job: Job, signal: AbortSignal): Promise<void>;
  /** Called when a slot becomes free after the pool was full: run `fill` again. */
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
  let isFull = false;
  return {
    fill: async (signal) => {
      const room = concurrency - running.size;
      isFull = room <= 0;
      if (isFull) return false;
      const jobs = await claim(room, [...running.values()]);
      for (const job of jobs) {
        const done = work(job, signal).finally(() => {
          running.delete(done);
          if (isFull) onSlotFree();
          isFull = false;
        });
        running.set(done, job);
      }
      return jobs.length === room;
    },
    drained: async () => {
      await Promise.all(running.keys());
    },
  };
}
