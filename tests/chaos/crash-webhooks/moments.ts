import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@parley/testkit/load';
import type { Arrival } from './receiver.ts';
import type { Stage } from './stage.ts';

/** When a process is killed. */
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

/** Which deliverer it was, once it is dead; undefined when the moment did not come. */
type Trap = (stage: Stage, random: Random) => Promise<number | undefined>;

const TIMEOUT_MS = 8_000;
/** How long a process may take to come from an answer to where it is held up. */
const TO_BARRIER_MS = 5_000;
const ANY_MS = 500;

/** Kills the sender at once. */
async function kill({ deliverers }: Stage, sender: number | undefined): Promise<number | undefined> {
  const victim = sender === undefined ? undefined : deliverers[sender];
  if (victim?.port() === undefined) return undefined;
  await victim.crash();
  return sender;
}

/** The first request that the trap takes, or undefined when none comes in time. */
function nextArrival(
  { receiver }: Stage,
  takes: (arrival: Arrival) => boolean,
): Promise<{ arrival: Arrival; answer: (status: number) => Promise<void> } | undefined> {
  return new Promise((resolve) => {
    const end = (found?: { arrival: Arrival; answer: (status: number) => Promise<void> }): void => {
      receiver.intercept(undefined);
      clearTimeout(patience);
      resolve(found);
    };
    const patience = setTimeout(end, TIMEOUT_MS);
    receiver.intercept((arrival, answer) => {
      if (arrival.sender === undefined || !takes(arrival)) return false;
      end({ arrival, answer });
      return true;
    });
  });
}

/** Its question for the secrets is never answered: it has an event, and nothing has left. */
const afterTheClaim: Trap = async (stage) => {
  const { gateways } = stage;
  const asker = await new Promise<number | undefined>((resolve) => {
    const end = (found?: number): void => {
      for (const gateway of gateways) gateway.intercept(undefined);
      clearTimeout(patience);
      resolve(found);
    };
    const patience = setTimeout(end, TIMEOUT_MS);
    for (const [index, gateway] of gateways.entries()) {
      gateway.intercept(() => {
        end(index);
        return true;
      });
    }
  });
  return kill(stage, asker);
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

/** Whether somebody waits for a lock in our database: the record of an attempt, since nothing else does. */
async function somebodyWaits({ pool }: Stage): Promise<boolean> {
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

/** The attempt was answered, and its row can't be written. */
const beforeTheRecord: Trap = async (stage) => {
  const barrier = await stage.pool.connect();
  try {
    const found = await nextArrival(stage, () => true);
    if (!found) return undefined;
    await barrier.query('BEGIN');
    await barrier.query('LOCK TABLE attempts IN SHARE MODE');
    await found.answer(200);
    await somebodyWaits(stage);
    return await kill(stage, found.arrival.sender);
  } finally {
    await barrier.query('ROLLBACK');
    barrier.release();
  }
};

/** The attempt is written, and the call's next event, which it releases in the same breath, can't be. */
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
    if (rows.length === 0 || !(await somebodyWaits(stage))) return undefined;
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
