import { type DedicatedConnection, isTransactionConflict } from '@parley/kit/db';
import { causesOf, isConnectivityError } from '@parley/kit/errors';
import { monotonicMs, realSleep } from '@parley/kit/time';
import { type ClaimResult, recordAttempts } from './record-attempts.ts';

/** Records a result; false: the claim was lost and nothing was written. */
export type RecordResult = (result: ClaimResult, now: Date) => Promise<boolean>;

type Waiting = {
  result: ClaimResult;
  now: Date;
  sinceMs: number;
  /** How often it met an unreachable database. */
  failures: number;
  resolve: (recorded: boolean) => void;
  reject: (err: unknown) => void;
};

const MAX_BATCH = 200;
const MAX_TRIES = 3;
/** How long a result waits for an unreachable database, in real time. With its attempt this stays within the lease. */
const OUTAGE_TIMEOUT_MS = 5_000;
const RETRY_DELAY_MS = 100;

/** Postgres reports a row without a partition like one that violates a check. */
const hasNoPartition = (err: unknown): boolean => [...causesOf(err)].some(({ code }) => code === '23514');

/** An attempt may be recorded on a later day than it began. */
const firstStart = (batch: readonly Waiting[], now: Date): Date =>
  new Date(Math.min(...batch.map(({ result }) => (result.attempt?.startedAt ?? now).getTime())));

/**
 * Records in batches: results that come in during a commit share the next one.
 * - Unreachable database: the batch waits, since what was sent and isn't recorded is sent again.
 * - Deadlock or serialization failure: the batch is tried again.
 * - Any other error: each result is tried by itself, so that a bad row fails alone. `makeDays` first creates the
 *   partitions of attempts that have none.
 */
export function createAttemptRecorder(
  connection: DedicatedConnection,
  makeDays: (from: Date, to: Date) => Promise<void>,
): RecordResult {
  const waiting: Waiting[] = [];
  let busy = false;

  const waitForDatabase = async (batch: readonly Waiting[], err: unknown): Promise<void> => {
    for (const one of batch) one.failures += 1;
    const deadlineMs = monotonicMs() - OUTAGE_TIMEOUT_MS;
    // A single failure may have lasted longer than the timeout, as when the server ended a transaction that stood still.
    const isLost = ({ sinceMs, failures }: Waiting): boolean => sinceMs < deadlineMs && failures > 1;
    for (const { reject } of batch.filter(isLost)) reject(err);
    waiting.unshift(...batch.filter((one) => !isLost(one)));
    await realSleep(RETRY_DELAY_MS);
  };

  const write = async (batch: readonly Waiting[], tries = 0): Promise<void> => {
    const now = new Date(Math.max(...batch.map((one) => one.now.getTime())));
    try {
      const results = batch.map(({ result }) => result);
      const recorded = await recordAttempts(connection, results, now);
      for (const [index, { resolve }] of batch.entries()) resolve(recorded[index] ?? false);
    } catch (err) {
      if (isConnectivityError(err)) {
        await waitForDatabase(batch, err);
      } else if (tries === MAX_TRIES) {
        for (const { reject } of batch) reject(err);
      } else if (isTransactionConflict(err)) {
        await write(batch, tries + 1);
      } else {
        // If this fails, the next try fails as well and reports it.
        if (hasNoPartition(err)) await makeDays(firstStart(batch, now), now).catch(() => {});
        for (const one of batch) await write([one], MAX_TRIES);
      }
    }
  };

  const drain = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) await write(waiting.splice(0, MAX_BATCH));
    busy = false;
  };

  return (result, now) =>
    new Promise((resolve, reject) => {
      waiting.push({ result, now, sinceMs: monotonicMs(), failures: 0, resolve, reject });
      if (!busy) void drain();
    });
}
