/** Where a double of a provider is. */
export type Double = { url: string; key: string };

/** A provider that works, one that fails, and a live model. */
export type Doubles = Double & { broken: Double; live: Double };

/** Answers, interruptions by words, and sounds that must not interrupt. */
export type Case = 'answers' | 'barge' | 'mhm' | 'cough';

/** Results of `conversations.ts`; times in milliseconds. */
export type Conversations = {
  samples: number[];
  /** The part of them that the providers took. */
  providerMs: number[];
  interrupted: number;
  total: number;
  /** For each interrupted answer, the difference in words between the transcript and what was heard. */
  wordErrors?: number[];
};

export type Leaks = {
  calls: number;
  /** Growth of the heap and of the buffers outside it, after garbage collection, from the 200th call to the last. */
  grownKib: number;
  /** Open timers, sockets and files before the first and after the last call. */
  resourcesBefore: number;
  resourcesAfter: number;
  subscribers: number;
  /** Turns of live models, and failures of providers that a backup replaced. */
  live: number;
  failures: number;
};
