import { type DedicatedConnection, isTransactionConflict } from '@parley/kit/db';
import { causesOf, isConnectivityError } from '@parley/kit/errors';
import { monotonicMs, realSleep } from '@parley/kit/time';
import { type Settlement, settleAttempts } from './settle-attempts.ts';

type Waiting = {
  settlement: Settlement;
  now: Date;
  sinceMs: number;
  /** How often it met a database that was away. */
  failures: number;
  resolve: (settled: boolean) => void;
  reject: (err: unknown) => void;
};

export type Settler = (settlement: Settlement, now: Date) => Promise<boolean>;

const MOST = 200;
const MOST_TRIES = 3;
/** How long a record waits for the database, and how often it tries; real time. With its attempt it stays within a lease. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 100;

/** Postgres says of a row that no partition takes what it says of one that a check refuses. */
const hasNoDay = (err: unknown): boolean => [...causesOf(err)].some(({ code }) => code === '23514');

/** An attempt may have begun on an earlier day than it is recorded. */
const firstStart = (settlements: readonly Settlement[], now: Date): Date =>
  new Date(Math.min(...settlements.map(({ attempt }) => (attempt?.startedAt ?? now).getTime())));

/**
 * Settles many attempts in one transaction: those that end while one is being committed are in the next one. Of a batch that
 * can't be written each is tried by itself, so that one bad row spoils nobody else's; while the database is away for a
 * moment all wait, since what was sent and isn't recorded is sent again. `makeDays` makes those of the attempts that have
 * none yet.
 */
export function createSettler(
  connection: DedicatedConnection,
  makeDays: (from: Date, to: Date) => Promise<void>,
): Settler {
  const waiting: Waiting[] = [];
  let busy = false;

  const wait = async (batch: readonly Waiting[], err: unknown): Promise<void> => {
    for (const one of batch) one.failures += 1;
    const oldestMs = monotonicMs() - PATIENCE_MS;
    // One failure may itself have taken as long, as where the server ended a transaction that stood still.
    const isLost = ({ sinceMs, failures }: Waiting): boolean => sinceMs < oldestMs && failures > 1;
    for (const { reject } of batch.filter(isLost)) reject(err);
    waiting.unshift(...batch.filter((one) => !isLost(one)));
    await realSleep(PAUSE_MS);
  };

  const write = async (batch: readonly Waiting[], tries = 0): Promise<void> => {
    const settlements = batch.map(({ settlement }) => settlement);
    const now = new Date(Math.max(...batch.map((one) => one.now.getTime())));
    try {
      const settled = await settleAttempts(connection, settlements, now);
      for (const [index, { resolve }] of batch.entries()) resolve(settled[index] ?? false);
    } catch (err) {
      if (isConnectivityError(err)) {
        await wait(batch, err);
      } else if (tries === MOST_TRIES) {
        for (const { reject } of batch) reject(err);
      } else if (isTransactionConflict(err)) {
        await write(batch, tries + 1);
      } else {
        // An error here is the next try's as well.
        if (hasNoDay(err)) await makeDays(firstStart(settlements, now), now).catch(() => {});
        for (const one of batch) await write([one], MOST_TRIES);
      }
    }
  };

  const drain = async (): Promise<void> => {
    busy = true;
    while (waiting.length > 0) await write(waiting.splice(0, MOST));
    busy = false;
  };

  return (settlement, now) =>
    new Promise((resolve, reject) => {
      waiting.push({ settlement, now, sinceMs: monotonicMs(), failures: 0, resolve, reject });
      if (!busy) void drain();
    });
}
