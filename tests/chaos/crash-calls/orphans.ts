import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Stage } from './stage.ts';

/** What a worker was killed over. `granted`: committed, and the carrier has no leg of it; `accepted`: the carrier has one. */
export type Held = { granted: number; accepted: number; ringing: number; up: number };

export type Orphans = {
  /** A worker is dead; answers what it held. */
  bury(workerId: string): Promise<Held>;
  /**
   * How long each call was left alone until it was taken over, in real milliseconds: since its worker died, or, if none
   * was left, since there was one again.
   */
  times(): number[];
  /** Those that nobody has taken over. */
  left(): number;
};

type Row = { id: string; workerId: string; phase: string; hasLeg: boolean };

const LOOK_EVERY_MS = 50;

/** Looks all the time at the live calls of workers that are dead. */
export function watchOrphans({ sql, workers }: Stage, lifecycle: Lifecycle): Orphans {
  const diedAt = new Map<string, number>();
  const times: number[] = [];
  let orphans = new Map<string, number>();
  let going = true;
  let nobodyUntil = 0;

  const read = (workerIds: string[]): Promise<Row[]> => sql.$queryRaw<Row[]>`
  SELECT c.id::text, c.worker_id::text AS "workerId", c.phase,
    EXISTS (SELECT 1 FROM simulated_legs l WHERE l.reference = c.id) AS "hasLeg"
  FROM calls c WHERE c.status <> 'completed' AND c.worker_id = ANY (${workerIds}::uuid[])`;
  const look = async (): Promise<void> => {
    if (diedAt.size === 0) return;
    const rows = await read([...diedAt.keys()]);
    const now = performance.now();
    if (!workers.some((worker) => worker.port())) nobodyUntil = now;
    const found = new Map<string, number>(
      rows.map(({ id, workerId }) => [`${id} ${workerId}`, diedAt.get(workerId) ?? now] as const),
    );
    for (const [key, since] of orphans) if (!found.has(key)) times.push(now - Math.max(since, nobodyUntil));
    orphans = found;
  };
  const looking = (async () => {
    while (going) {
      await look();
      await sleep(LOOK_EVERY_MS);
    }
  })();
  looking.catch((err: unknown) => console.error(err));
  lifecycle.onStop('orphans', async () => {
    going = false;
    await looking.catch(() => {});
  });

  return {
    bury: async (workerId) => {
      diedAt.set(workerId, performance.now());
      const held: Held = { granted: 0, accepted: 0, ringing: 0, up: 0 };
      for (const { phase, hasLeg } of await read([workerId])) {
        if (phase === 'up') held.up += 1;
        else if (phase === 'ringing') held.ringing += 1;
        else if (hasLeg) held.accepted += 1;
        else held.granted += 1;
      }
      return held;
    },
    times: () => times,
    left: () => orphans.size,
  };
}
