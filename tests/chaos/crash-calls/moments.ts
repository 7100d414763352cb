import { setTimeout as sleep } from 'node:timers/promises';
import { type Statement, sql } from '@parley/kit/db';
import { eventually } from '@parley/testkit';
import type { Random } from '@parley/testkit/load';
import type { Victim } from '@parley/testkit/stage';
import type { Stage } from './stage.ts';

/** The point at which a process is killed. */
export type Moment = 'any instant' | 'requests under way' | 'a dial is granted' | 'the carrier has a leg';

export const MOMENTS: readonly [Moment, ...Moment[]] = [
  'any instant',
  'requests under way',
  'a dial is granted',
  'the carrier has a leg',
];

const granted = (workerIds: string[]) => sql`
  SELECT worker_id::text AS id FROM calls c
  WHERE worker_id = ANY (${workerIds}::uuid[]) AND phase = 'dialing' AND fence = 1
    AND NOT EXISTS (SELECT 1 FROM simulated_legs l WHERE l.reference = c.id) LIMIT 1`;
const accepted = (workerIds: string[]) => sql`
  SELECT worker_id::text AS id FROM calls c
  WHERE worker_id = ANY (${workerIds}::uuid[]) AND phase IN ('dialing', 'unknown') AND fence = 1
    AND EXISTS (SELECT 1 FROM simulated_legs l WHERE l.reference = c.id) LIMIT 1`;

const SEARCH_MS = 1_000;
/** Random extra delay: about the duration of a commit, a request to the carrier, or the write of its response. */
const AFTER_MS = 15;
const UNDER_WAY_MS = 60;
const ANY_MS = 600;

/** Waits for the moment; returns the process to kill. */
export async function waitFor(moment: Moment, stage: Stage, random: Random): Promise<Victim> {
  const afterMs = random.upTo(AFTER_MS);
  const anyMs = random.upTo(moment === 'any instant' ? ANY_MS : UNDER_WAY_MS);
  const isHttp = random.chance(moment === 'requests under way' ? 0.7 : 0.2);
  const number = random.pick([0, 1] as const);
  const mayBeLast = random.chance(0.5);
  if (moment === 'a dial is granted' || moment === 'the carrier has a leg') {
    const found = await findWorker(stage, moment === 'a dial is granted' ? granted : accepted);
    if (found) {
      await sleep(afterMs);
      return found;
    }
  } else {
    await sleep(anyMs);
  }
  // A process that is still starting has no work to interrupt, so another one is chosen. A worker that is up alone would
  // usually die before it has taken anything over, so half of the time both workers must be up.
  const { http, workers } = stage;
  const wanted = isHttp ? http : workers[number];
  return eventually(
    () => {
      const up = [wanted, ...workers, http].find((victim) => victim.port());
      const isLast = up !== http && !workers.every((worker) => worker.port());
      if (!up || (isLast && !mayBeLast)) {
        const missing = [http, ...workers].filter((victim) => !victim.port());
        throw new Error(
          missing
            .map(({ role, lastOutput }) => `${role} has not started: ${lastOutput().join('\n')}`)
            .join('\n'),
        );
      }
      return up;
    },
    { timeoutMs: 120_000 },
  );
}

/** A worker of which any dial has reached the given point. */
async function findWorker(
  { sql: client, workers }: Stage,
  question: (workerIds: string[]) => Statement,
): Promise<Victim | undefined> {
  const givesUpAt = performance.now() + SEARCH_MS;
  while (performance.now() < givesUpAt) {
    const ids = workers.flatMap((worker) => (worker.port() && worker.workerId()) || []);
    const [row] = await client.$queryRaw<{ id: string }[]>(question(ids));
    if (row) return workers.find((worker) => worker.workerId() === row.id);
    await sleep(1);
  }
  return undefined;
}
