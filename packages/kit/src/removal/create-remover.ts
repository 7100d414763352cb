import { createHash } from 'node:crypto';
import type { RemovalAdvance } from '@parley/contracts';
import { z } from 'zod';
import { isTransactionTimeout, queryRow, type SqlClient, type Statement, sql } from '../db/index.ts';
import { conflict } from '../errors/index.ts';
import { monotonicMs, realSleep } from '../time/index.ts';
import { type DeadLettersDeps, eraseDeadLetters } from './erase-dead-letters.ts';
import { identityOf, type Pace, type RemovalStep, type RemovalTarget, type StepResult } from './step.ts';

export type RemoverDeps = {
  transact: <R>(work: (tx: SqlClient) => Promise<R>) => Promise<R>;
  /** The steps of the erasure of a person. */
  erasure: readonly RemovalStep[];
  /** The steps of the deletion of a workspace. */
  workspace: readonly RemovalStep[];
} & DeadLettersDeps;

export type Remover = {
  /** Works for about a second and returns the progress of the pass. Concurrent callers alternate. */
  advance(target: RemovalTarget, pass: number): Promise<RemovalAdvance>;
};

/** Real time; shorter than the caller's timeout. */
const SLICE_MS = 1_000;
const MAX_PAUSE_MS = 250;
/** Pauses relative to the work between them. */
const PAUSE_TO_WORK = 2 / 3;

const progressRow = z.object({
  workspaceId: z.string(),
  pass: z.number(),
  step: z.number(),
  cursor: z.string().nullable(),
  found: z.number(),
  waiting: z.string().nullable(),
  removed: z.record(z.string(), z.number()),
  kept: z.record(z.string(), z.object({ place: z.string(), count: z.number(), reason: z.string() })),
  beganXid: z.string().nullable(),
  sinceXid: z.string().nullable(),
  halvings: z.number(),
  position: z.string().nullable(),
  isYoung: z.boolean(),
  currentXid: z.string(),
});

type Progress = Omit<z.infer<typeof progressRow>, 'currentXid' | 'position'>;

const readAndLock = (removalId: string): Statement => sql`
  SELECT workspace_id::text AS "workspaceId", pass, step, cursor, found, waiting, removed, kept,
    began_xid AS "beganXid", since_xid AS "sinceXid", halvings, position,
    -- Longer than consumers cache that the number is not erased.
    began_at > clock_timestamp() - interval '5 s' AS "isYoung",
    pg_snapshot_xmin(pg_current_snapshot())::xid::text AS "currentXid"
  FROM removals WHERE id = ${removalId}::uuid FOR UPDATE`;

const save = (removalId: string, progress: Progress, position: string): Statement => sql`
  UPDATE removals SET pass = ${progress.pass}, step = ${progress.step}, cursor = ${progress.cursor},
    found = ${progress.found}, waiting = ${progress.waiting}, removed = ${JSON.stringify(progress.removed)}::jsonb,
    kept = ${JSON.stringify(progress.kept)}::jsonb, began_xid = ${progress.beganXid}, since_xid = ${progress.sinceXid}, halvings = ${progress.halvings},
    position = ${position}, updated_at = clock_timestamp()
  WHERE id = ${removalId}::uuid`;

/** Down to a single page, message or call. */
const MAX_HALVINGS = 12;

/** The batch that timed out may have been the first one, whose row was rolled back. */
const halveBatch = ({ removalId, workspaceId }: RemovalTarget, pass: number): Statement => sql`
  INSERT INTO removals (id, workspace_id, pass, halvings) VALUES (${removalId}::uuid, ${workspaceId}::uuid, ${pass}, 1)
  ON CONFLICT (id) DO UPDATE SET halvings = least(removals.halvings + 1, ${MAX_HALVINGS})`;

/** The steps of a removal, and a name that changes with them: a position has no meaning in another list, and says nothing of other columns. */
type Plan = { name: string; steps: readonly RemovalStep[] };

function planOf(steps: readonly RemovalStep[]): Plan {
  const hash = createHash('sha256').update(steps.map(identityOf).join('\n'));
  return { name: hash.digest('base64url').slice(0, 16), steps };
}

const positionIn = ({ name }: Plan, { step, cursor }: Pick<Progress, 'step' | 'cursor'>): string =>
  `${name} ${step} ${cursor ?? ''}`;

/**
 * Removes in passes. Each runs all steps from the beginning, batch by batch; the first pass that finds nothing is the last. After each
 * batch it pauses for two thirds of the time that the batch took: it uses less than two thirds of one core. A batch that times out is repeated with half
 * of its size by the next call, and later ones are twice as large again. A pass that another version of this service has taken part in begins again.
 */
export function createRemover({ transact, erasure, workspace, ...deps }: RemoverDeps): Remover {
  const deadLetters = eraseDeadLetters(deps);
  const ofPerson = planOf([...erasure, deadLetters]);
  const ofWorkspace = planOf([...workspace, deadLetters]);
  const runBatch = (target: RemovalTarget, pass: number, pace: Pace): Promise<RemovalAdvance> =>
    transact(async (tx) => {
      const { removalId, workspaceId, phoneNumber } = target;
      const mac = phoneNumber === null ? null : deps.erasedNumbers.macOf(phoneNumber);
      await tx.$executeRaw(sql`
        INSERT INTO removals (id, workspace_id, pass, number_mac)
        VALUES (${removalId}::uuid, ${workspaceId}::uuid, ${pass}, ${mac})
        -- The row that a timeout has left has no hash: consumers mask the number from now on.
        ON CONFLICT (id) DO UPDATE SET number_mac = EXCLUDED.number_mac, began_at = clock_timestamp()
          WHERE removals.number_mac IS NULL AND EXCLUDED.number_mac IS NOT NULL`);
      const stored = await queryRow(tx, progressRow, readAndLock(removalId));
      if (!stored || stored.workspaceId !== workspaceId)
        throw conflict('The removal belongs to another workspace');
      const plan = phoneNumber === null ? ofWorkspace : ofPerson;
      const isOurs = stored.position === positionIn(plan, stored);
      const isNew = stored.pass < pass || stored.beganXid === null;
      const beginsAgain = !isNew && !isOurs && stored.pass === pass;
      const row =
        isNew || beginsAgain
          ? startPass(stored, pass, {
              currentXid: stored.currentXid,
              waitsForConsumers: phoneNumber !== null,
              // Only what all of these steps have seen need not be read again.
              sinceXid: isNew && isOurs && stored.step === plan.steps.length ? stored.beganXid : null,
              found: isNew ? 0 : stored.found,
            })
          : stored;
      const step = plan.steps[row.step];
      // A caller of an older pass gets the progress of the current one.
      if (!step || row.pass > pass) return toAdvance(row, !step);
      const facts = { sinceXid: row.sinceXid, halvings: row.halvings };
      // The first batch of a pass ends soon: from its commit on consumers mask the number.
      const after = advanced(
        row,
        await step(tx, { ...target, ...facts }, row.cursor, isNew ? undefined : pace),
      );
      await tx.$executeRaw(save(removalId, after, positionIn(plan, after)));
      return toAdvance(after, false);
    });

  return {
    advance: async (target, pass) => {
      const pace = createPace();
      for (;;) {
        const progress = await runBatch(target, pass, pace).catch(async (err: unknown) => {
          if (isTransactionTimeout(err)) await transact((tx) => tx.$executeRaw(halveBatch(target, pass)));
          throw err;
        });
        if (progress.done || pace.isOver()) return progress;
        await pace.pause();
      }
    },
  };
}

function createPace(): Pace {
  let beganMs = monotonicMs();
  const endMs = beganMs + SLICE_MS;
  return {
    isOver: () => monotonicMs() > endMs,
    pause: async () => {
      await realSleep(Math.min(MAX_PAUSE_MS, PAUSE_TO_WORK * (monotonicMs() - beganMs)));
      beganMs = monotonicMs();
    },
  };
}

function startPass(
  row: Progress,
  pass: number,
  facts: { currentXid: string; waitsForConsumers: boolean; sinceXid: string | null; found: number },
): Progress {
  const xids = { beganXid: facts.currentXid, sinceXid: facts.sinceXid };
  const waiting = facts.waitsForConsumers && row.isYoung ? 'messages in progress' : null;
  return { ...row, ...xids, pass, step: 0, cursor: null, found: facts.found, waiting };
}

function advanced(row: Progress, { removed = {}, kept = [], waiting = null, next }: StepResult): Progress {
  const all = { ...row.removed };
  let found = row.found;
  for (const [place, count] of Object.entries(removed)) {
    if (count === 0) continue;
    all[place] = (all[place] ?? 0) + count;
    found += count;
  }
  const keptNow = Object.fromEntries(kept.map((item) => [item.place, item]));
  return {
    ...row,
    step: next === null ? row.step + 1 : row.step,
    cursor: next,
    halvings: Math.max(0, row.halvings - 1),
    found,
    waiting: waiting ?? row.waiting,
    removed: all,
    kept: { ...row.kept, ...keptNow },
  };
}

function toAdvance({ found, waiting, removed, kept }: Progress, done: boolean): RemovalAdvance {
  return { done, found, waiting, removed, kept: Object.values(kept).filter(({ count }) => count > 0) };
}
