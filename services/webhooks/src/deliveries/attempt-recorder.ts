import { createBatcher } from '@parley/kit/concurrency';
import type { DedicatedConnection } from '@parley/kit/db';
import { causesOf } from '@parley/kit/errors';
import { type ClaimResult, recordAttempts } from './record-attempts.ts';

/** Records a result; false: the claim was lost and nothing was written. */
export type RecordResult = (result: ClaimResult, now: Date) => Promise<boolean>;

type Recording = { result: ClaimResult; now: Date };

/** How long a result waits for an unreachable database, in real time. With its attempt this stays within the lease. */
const OUTAGE_TIMEOUT_MS = 5_000;

/** Postgres reports a row without a partition like one that violates a check. */
const hasNoPartition = (err: unknown): boolean => [...causesOf(err)].some(({ code }) => code === '23514');

/** An attempt may be recorded on a later day than it began. */
const firstStart = (batch: readonly Recording[], now: Date): Date =>
  new Date(Math.min(...batch.map(({ result }) => (result.attempt?.startedAt ?? now).getTime())));

/**
 * Records in batches: results that come in during a commit share the next one. While the database can't be reached they
 * wait, since what was sent and isn't recorded is sent again. `makeDays` creates the partitions of attempts that have none.
 */
export function createAttemptRecorder(
  connection: DedicatedConnection,
  makeDays: (from: Date, to: Date) => Promise<void>,
): RecordResult {
  const write = async (batch: Recording[]): Promise<boolean[]> => {
    const now = new Date(Math.max(...batch.map((one) => one.now.getTime())));
    const results = batch.map(({ result }) => result);
    try {
      return await recordAttempts(connection, results, now);
    } catch (err) {
      if (!hasNoPartition(err)) throw err;
      await makeDays(firstStart(batch, now), now);
      return recordAttempts(connection, results, now);
    }
  };
  const record = createBatcher(write, { outageTimeoutMs: OUTAGE_TIMEOUT_MS });
  return (result, now) => record({ result, now });
}
