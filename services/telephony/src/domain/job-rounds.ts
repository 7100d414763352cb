export type JobRounds = {
  /** Begins what is due, as far as there is room; it goes on beside the next rounds. True: there may be more. */
  begin(signal: AbortSignal): Promise<boolean>;
  /** Resolves when nothing is under way any more. */
  drained(): Promise<void>;
};

export type JobRoundsOptions<Job> = {
  atOnce: number;
  /** At most so many. */
  claim(most: number): Promise<Job[]>;
  /** Never rejects. */
  work(job: Job, signal: AbortSignal): Promise<void>;
  /** There is room again for what had to wait. */
  wake(): void;
};

/** Jobs go on side by side, each at its own pace: a slow one holds up nobody, as long as there is room. */
export function createJobRounds<Job>({ atOnce, claim, work, wake }: JobRoundsOptions<Job>): JobRounds {
  const underWay = new Set<Promise<void>>();
  let isFull = false;
  return {
    begin: async (signal) => {
      const room = atOnce - underWay.size;
      isFull = room <= 0;
      if (isFull) return false;
      const jobs = await claim(room);
      for (const job of jobs) {
        const done = work(job, signal).finally(() => {
          underWay.delete(done);
          if (isFull) wake();
          isFull = false;
        });
        underWay.add(done);
      }
      return jobs.length === room;
    },
    drained: async () => {
      await Promise.all(underWay);
    },
  };
}
