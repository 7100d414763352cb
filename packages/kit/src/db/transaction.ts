import { realSleep } from '../time/index.ts';
import { withinShare } from './client-writes.ts';
import { isTransactionConflict } from './database-error.ts';

/** The part of a Prisma client that opens transactions of type `Tx`. */
export type Transactional<Tx> = {
  $transaction<R>(work: (tx: Tx) => Promise<R>, options?: PrismaTransactionOptions): Promise<R>;
};

type PrismaTransactionOptions = { maxWait?: number; timeout?: number; isolationLevel?: IsolationLevel };

type IsolationLevel = 'ReadCommitted' | 'RepeatableRead' | 'Serializable';

export type TransactionOptions = {
  isolationLevel?: IsolationLevel;
  /** Timeout of the whole transaction, in real milliseconds. */
  timeoutMs?: number;
  /** Real milliseconds to wait for a connection of the pool. */
  maxWaitMs?: number;
  /** Attempts in total, for deadlocks and serialization failures. */
  attempts?: number;
};

const INITIAL_PAUSE_MS = 10;

/**
 * Runs `work` in a transaction and retries it after a deadlock or a serialization failure. `work` may run several times, so it must have
 * no effects besides those on `tx`. In a client's change, each attempt waits for a connection of its workspace's share.
 */
export async function transaction<Tx, R>(
  client: Transactional<Tx>,
  work: (tx: Tx) => Promise<R>,
  options: TransactionOptions = {},
): Promise<R> {
  const { isolationLevel, timeoutMs = 10_000, maxWaitMs = 2_000, attempts = 5 } = options;
  const settings = { maxWait: maxWaitMs, timeout: timeoutMs, ...(isolationLevel ? { isolationLevel } : {}) };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withinShare(() => client.$transaction(work, settings));
    } catch (err) {
      if (attempt >= attempts || !isTransactionConflict(err)) throw err;
      await realSleep(Math.random() * INITIAL_PAUSE_MS * 2 ** attempt);
    }
  }
}
