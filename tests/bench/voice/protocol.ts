/** Answers, interruptions by words, and sounds that interrupt nothing. */
export type Case = 'answers' | 'barge' | 'mhm' | 'cough';

/** What a process of conversations has found; times in milliseconds. */
export type Conversations = {
  samples: number[];
  /** The providers' own share of them. */
  providerMs: number[];
  interrupted: number;
  total: number;
  /** By how many words what is on record of each interrupted answer differs from what was heard. */
  wordErrors?: number[];
};

export type Leaks = {
  calls: number;
  /** Of the heap, after collection, from the 200th call to the last one. */
  grownKib: number;
  /** Timers, sockets and files of the process before the first and after the last call. */
  resourcesBefore: number;
  resourcesAfter: number;
  subscribers: number;
};
