import { applyRetentionOf, type RetainerName, type RetentionDays } from '@parley/contracts';
import { type SqlClient, sql } from '../db/index.ts';
import { type App, mount } from '../http/index.ts';
import { type Clock, monotonicMs, realSleep } from '../time/index.ts';

/** Removes a batch of records that are older than `before`. */
export type RetentionStep = {
  kind: keyof RetentionDays;
  place: string;
  /** Returns the number of removed records; 0 if none are left. */
  remove(tx: SqlClient, workspaceId: string, before: Date): Promise<number>;
};

export type RetentionDeps = {
  transact: <R>(work: (tx: SqlClient) => Promise<R>) => Promise<R>;
  clock: Clock;
  steps: readonly RetentionStep[];
};

export type ApplyRetention = (
  workspaceId: string,
  days: RetentionDays,
) => Promise<{ removed: Record<string, number>; more: boolean }>;

const DAY_MS = 86_400_000;
const SLICE_MS = 1_000;
const MAX_PAUSE_MS = 250;

/** Stores a workspace's retention and applies it for about a second [trust.21], in stack time and a transaction per batch. */
export function createApplyRetention({ transact, clock, steps }: RetentionDeps): ApplyRetention {
  return async (workspaceId, days) => {
    const { calls, recordings, attempts, contacts } = days;
    await transact((tx) =>
      tx.$executeRaw(sql`
        INSERT INTO retention (workspace_id, calls, recordings, attempts, contacts)
        VALUES (${workspaceId}::uuid, ${calls}::int, ${recordings}::int, ${attempts}::int, ${contacts}::int)
        ON CONFLICT (workspace_id) DO UPDATE SET calls = EXCLUDED.calls, recordings = EXCLUDED.recordings,
          attempts = EXCLUDED.attempts, contacts = EXCLUDED.contacts`),
    );
    const startedMs = monotonicMs();
    const removed: Record<string, number> = {};
    for (const { kind, place, remove } of steps) {
      const keepDays = days[kind];
      if (keepDays === null) continue;
      const before = new Date(clock.now().getTime() - keepDays * DAY_MS);
      for (;;) {
        const beganMs = monotonicMs();
        const count = await transact((tx) => remove(tx, workspaceId, before));
        if (count === 0) break;
        removed[place] = (removed[place] ?? 0) + count;
        if (monotonicMs() - startedMs > SLICE_MS) return { removed, more: true };
        await realSleep(Math.min(MAX_PAUSE_MS, monotonicMs() - beganMs));
      }
    }
    return { removed, more: false };
  };
}

export function mountRetention(app: App, service: RetainerName, apply: ApplyRetention): void {
  mount(app, applyRetentionOf(service), ({ body, auth }) => apply(auth.workspaceId, body));
}
