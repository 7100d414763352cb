import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Stage } from './stage.ts';

/** Calls of a worker when it was killed. `granted`: committed, no leg at the carrier yet; `accepted`: it has a leg. */
export type Interrupted = { granted: number; accepted: number; ringing: number; up: number };

export type Orphans = {
  /** Call when a worker was killed; returns the calls that it had. */
  recordDeath(workerId: string): Promise<Interrupted>;
  /**
   * How long each call waited for its takeover, in real milliseconds: since its worker died, or, if no worker was left,
   * since one was running again.
   */
  times(): number[];
  /** Calls that no worker has taken over yet. */
  left(): number;
};

type Row = { id: string; workerId: string; phase: string; hasLeg: boolean };

const POLL_MS = 50;

/** Polls the live calls of dead workers. */
export function watchOrphans({ sql, workers }: Stage, lifecycle: Lifecycle): Orphans {
  const diedAt = new Map<string, number>();
  const times: number[] = [];
  let orphans = new Map<string, number>();
  let isRunning = true;
  let noWorkerUntil = 0;

  const read = (workerIds: string[]): Promise<Row[]> => sql.$queryRaw<Row[]>`
  SELECT c.id::text, c.worker_id::text AS "workerId", c.phase,
    EXISTS (SELECT 1 FROM simulated_legs l WHERE l.reference = c.id) AS "hasLeg"
  FROM calls c WHERE c.status <> 'completed' AND c.worker_id = ANY (${workerIds}::uuid[])`;
  const poll = async (): Promise<void> => {
    if (diedAt.size === 0) return;
    const rows = await read([...diedAt.keys()]);
    const now = performance.now();
    if (!workers.some((worker) => worker.port())) noWorkerUntil = now;
    const found = new Map<string, number>(
      rows.map(({ id, workerId }) => [`${id} ${workerId}`, diedAt.get(workerId) ?? now] as const),
    );
    for (const [key, since] of orphans) if (!found.has(key)) times.push(now - Math.max(since, noWorkerUntil));
    orphans = found;
  };
  const polling = (async () => {
    while (isRunning) {
      await poll();
      await sleep(POLL_MS);
    }
  })();
  polling.catch((err: unknown) => console.error(err));
  lifecycle.onStop('orphans', async () => {
    isRunning = false;
    await polling.catch(() => {});
  });

  return {
    recordDeath: async (workerId) => {
      diedAt.set(workerId, performance.now());
      const interrupted: Interrupted = { granted: 0, accepted: 0, ringing: 0, up: 0 };
      for (const { phase, hasLeg } of await read([workerId])) {
        if (phase === 'up') interrupted.up += 1;
        else if (phase === 'ringing') interrupted.ringing += 1;
        else if (hasLeg) interrupted.accepted += 1;
        else interrupted.granted += 1;
      }
      return interrupted;
    },
    times: () => times,
    left: () => orphans.size,
  };
}
