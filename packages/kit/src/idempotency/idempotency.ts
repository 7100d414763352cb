import type { Sql } from '../db/index.ts';

/**
 * What a creating use case gets (spec D1.7). It calls `answer` inside the transaction that creates the resource,
 * with the very value that the handler returns: the answer's bytes are stored there, so that resource and record
 * exist together or not at all. Without an `Idempotency-Key` it only hands the value back.
 */
export type Idempotency = {
  /**
   * Stores the answer in `tx` and returns `value`.
   * Throws `IDEMPOTENCY_IN_PROGRESS` when another request took the key over meanwhile: the transaction must roll back.
   */
  answer<T>(tx: Sql, value: T): Promise<T>;
};

/** For callers that are no HTTP request (a message, a command): nothing to remember. */
export const noIdempotency: Idempotency = { answer: async (_tx, value) => value };
