import type { SqlClient } from '../db/index.ts';

/**
 * Given to use cases that create a resource [general.20]. They call `answer` in the transaction that creates it, with the value that the
 * handler returns: the response is stored in the same transaction. Without an `Idempotency-Key` it only returns the value.
 */
export type Idempotency = {
  /**
   * Stores the response in `tx` and returns `value`. Throws `IDEMPOTENCY_IN_PROGRESS` if another request took over the key: the
   * transaction must roll back.
   */
  answer<T>(tx: SqlClient, value: T): Promise<T>;
};

/** For callers without a key, such as consumers and commands. */
export const noIdempotency: Idempotency = { answer: async (_tx, value) => value };
