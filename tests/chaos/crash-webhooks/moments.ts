import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@parley/testkit/load';
import type { Arrival } from './receiver.ts';
import type { Stage } from './stage.ts';

/** The point at which a process is killed. */
export type Moment =
  | 'after the claim'
  | 'after the send'
  | 'after the 2xx'
  | 'before the record'
  | 'between record and release'
  | 'any instant';

export const MOMENTS: readonly [Moment, ...Moment[]] = [
  'after the claim',
  'after the send',
  'after the 2xx',
  'before the record',
  'between record and release',
  'any instant',
];

/** Waits for the moment and kills a deliverer; returns its index, or undefined if the moment did not occur. */
type Trap = (stage: Stage, random: Random) => Promise<number | undefined>;

const TIMEOUT_MS = 8_000;
/** How long a process may take from the response until it waits for the lock. */
const TO_BARRIER_MS = 5_000;
const ANY_MS = 500;

/** Kills the sender immediately; undefined if it is not running. */
async function kill({ deliverers }: Stage, sender: number | undefined): Promise<number | undefined> {
  const victim = sender === undefined ? undefined : deliverers[sender];
  if (victim?.port() === undefined) return undefined;
  await victim.crash();
  return sender;
}

/** The first request that matches, or undefined if none arrives in time. */
function nextArrival(
  { receiver }: Stage,
  matches: (arrival: Arrival) => boolean,
): Promise<{ arrival: Arrival; answer: (status: number) => Promise<void> } | undefined> {
  return new Promise((resolve) => {
    const end = (found?: { arrival: Arrival; answer: (status: number) => Promise<void> }): void => {
      receiver.intercept(undefined);
      clearTimeout(timeout);
      resolve(found);
    };
    const timeout = setTimeout(end, TIMEOUT_MS);
    receiver.intercept((arrival, answer) => {
      if (arrival.sender === undefined || !matches(arrival)) return false;
      end({ arrival, answer });
      return true;
    });
  });
}

/** Its request for the secrets gets no response: it has claimed an event and sent nothing. */
const afterTheClaim: Trap = async (stage) => {
  const { gateways } = stage;
  const sender = await new Promise<number | undefined>((resolve) => {
    const end = (found?: number): void => {
      for (const gateway of gateways) gateway.intercept(undefined);
      clearTimeout(timeout);
      resolve(found);
    };
    const timeout = setTimeout(end, TIMEOUT_MS);
    for (const [index, gateway] of gateways.entries()) {
      gateway.intercept(() => {
        end(index);
        return true;
      });
    }
  });
  return kill(stage, sender);
};

const afterTheSend: Trap = async (stage) => {
  const found = await nextArrival(stage, () => true);
  return kill(stage, found?.arrival.sender);
};

const afterThe2xx: Trap = async (stage, random) => {
  const found = await nextArrival(stage, () => true);
  await found?.answer(200);
  await sleep(random.upTo(6));
  return kill(stage, found?.arrival.sender);
};

/** Whether a statement waits for a lock: only the write of an attempt can. */
async function isLockAwaited({ pool }: Stage): Promise<boolean> {
  const givesUpAt = performance.now() + TO_BARRIER_MS;
  while (performance.now() < givesUpAt) {
    const { rows } = await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return true;
    await sleep(2);
  }
  return false;
}

/** The receiver has responded, and the row of the attempt cannot be written. */
const beforeTheRecord: Trap = async (stage) => {
  const barrier = await stage.pool.connect();
  try {
    const found = await nextArrival(stage, () => true);
    if (!found) return undefined;
    await barrier.query('BEGIN');
    await barrier.query('LOCK TABLE attempts IN SHARE MODE');
    await found.answer(200);
    await isLockAwaited(stage);
    return await kill(stage, found.arrival.sender);
  } finally {
    await barrier.query('ROLLBACK');
    barrier.release();
  }
};

/** The attempt is written, but the call's next event, released in the same transaction, is locked. */
const betweenRecordAndRelease: Trap = async (stage) => {
  const barrier = await stage.pool.connect();
  try {
    const found = await nextArrival(stage, ({ event }) => event !== 'call_analyzed');
    if (!found) return undefined;
    await barrier.query('BEGIN');
    const { rows } = await barrier.query(
      `SELECT id FROM events WHERE call_id = $1::uuid AND status = 'pending' AND id <> $2::uuid FOR UPDATE`,
      [found.arrival.callId, found.arrival.eventId],
    );
    await found.answer(200);
    if (rows.length === 0 || !(await isLockAwaited(stage))) return undefined;
    return await kill(stage, found.arrival.sender);
  } finally {
    await barrier.query('ROLLBACK');
    barrier.release();
  }
};

const atAnyInstant: Trap = async (stage, random) => {
  await sleep(random.upTo(ANY_MS));
  const isUp = (index: number): boolean => stage.deliverers[index]?.port() !== undefined;
  const [first, ...others] = [...stage.deliverers.keys()].filter(isUp);
  return first === undefined ? undefined : kill(stage, random.pick([first, ...others]));
};

export const TRAPS: Readonly<Record<Moment, Trap>> = {
  'after the claim': afterTheClaim,
  'after the send': afterTheSend,
  'after the 2xx': afterThe2xx,
  'before the record': beforeTheRecord,
  'between record and release': betweenRecordAndRelease,
  'any instant': atAnyInstant,
};
