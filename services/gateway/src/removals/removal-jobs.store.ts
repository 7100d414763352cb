import { createHmac } from 'node:crypto';
import { queryRow, sql, uniqueViolation } from '@parley/kit/db';
import { AppError, conflict } from '@parley/kit/errors';
import type { ChangedBy } from '@parley/kit/http';
import type { DatabaseGauge } from '@parley/kit/observability';
import type { SecretBox } from '@parley/kit/secrets';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import { addAuditEntry } from '../audit/audit-log.store.ts';
import type { RemovalJob as Row } from '../generated/prisma/client.ts';
import type { Page } from '../page.ts';
import { inTransaction, type PrismaClient, type Tx } from '../prisma.ts';
import { closeWorkspace } from './close-workspace.ts';
import type { Progress, Receipt, RemovalKind, Step } from './removal-job.ts';

const idRow = z.object({ id: z.string() });

export type RemovalJob = Progress & {
  id: string;
  workspaceId: string;
  kind: RemovalKind;
  status: 'queued' | 'running' | 'completed';
  numberEnding: string | null;
  keepDoNotCall: boolean;
  workspaceName: string | null;
  requestedBy: string;
  createdAt: Date;
  completedAt: Date | null;
};

/** A job that this process has leased. */
export type ClaimedJob = RemovalJob & { phoneNumber: string | null; fence: number; isNew: boolean };

export type NewErasure = {
  id: string;
  workspaceId: string;
  phoneNumber: string;
  keepDoNotCall: boolean;
  requestedBy: string;
  by: ChangedBy;
  createdAt: Date;
};

/** An old unfinished removal can't reach a service, or waits for a long call. */
export const REMOVAL_GAUGES: DatabaseGauge[] = [
  {
    name: 'parley_removals_open',
    help: 'Erasures of people and deletions of workspaces that are not completed',
    query: "SELECT count(*)::int AS value FROM removal_jobs WHERE status <> 'completed'",
  },
  {
    name: 'parley_removals_oldest_failures',
    help: 'Largest number of consecutive failures of an open removal',
    query: "SELECT coalesce(max(failures), 0)::int AS value FROM removal_jobs WHERE status <> 'completed'",
  },
  {
    name: 'parley_removals_oldest_seconds',
    help: 'Age of the oldest open removal',
    query: `
      SELECT coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(created_at))), 0)::int AS value
      FROM removal_jobs WHERE status <> 'completed'`,
  },
];

type Deps = { prisma: PrismaClient; box: SecretBox; pepper: string; clock: Clock };

/** The number's location, so that a ciphertext cannot be decrypted in another row. */
export const numberPlace = (id: string): string => `removal_jobs:sealed_number:${id}`;

/** Longer than a service works on one call. */
const LEASE = sql`interval '10 seconds'`;
/** Maximum concurrent erasures of one workspace; others wait. */
const MAX_ACTIVE = 4;
/** Open erasures of one workspace. */
const MAX_OPEN = 1_000;

export type RemovalJobs = ReturnType<typeof createRemovalJobs>;

export function createRemovalJobs({ prisma, box, pepper, clock }: Deps) {
  return {
    /**
     * Throws `CONFLICT` while another erasure of the number is open, and `RATE_LIMITED` while the workspace has too many.
     * `finish` runs in its transaction.
     */
    addErasure: async <T>(
      { id, workspaceId, phoneNumber, keepDoNotCall, requestedBy, by, createdAt }: NewErasure,
      finish: (tx: Tx, job: RemovalJob) => Promise<T>,
    ): Promise<T> => {
      const data = {
        id,
        workspaceId,
        kind: 'erasure',
        sealedNumber: box.seal(phoneNumber, numberPlace(id)),
        numberMark: markOf(workspaceId, phoneNumber, pepper),
        numberEnding: phoneNumber.slice(-2),
        keepDoNotCall,
        requestedBy,
        createdAt,
      };
      try {
        return await inTransaction(prisma, async (tx) => {
          const isOpen = { workspaceId, kind: 'erasure', status: { not: 'completed' } };
          if ((await tx.removalJob.count({ where: isOpen })) >= MAX_OPEN) throw tooMany();
          const job = toJob(await tx.removalJob.create({ data }));
          await addAuditEntry(tx, by, {
            action: 'erasure.requested',
            target: { type: 'erasure', id },
            // Enough to recognize a known number, but not to find an unknown one.
            changes: { number_ending: { to: data.numberEnding }, keep_do_not_call: { to: keepDoNotCall } },
            at: createdAt,
          });
          return finish(tx, job);
        });
      } catch (err) {
        if (!uniqueViolation(err)) throw err;
        throw conflict('An erasure of this number is already in progress');
      }
    },

    /**
     * Closes the workspace and queues its deletion in one transaction. Idempotent: returns the existing job. Undefined: no such
     * workspace.
     */
    addDeletion: (id: string, workspaceId: string, requestedBy: string): Promise<RemovalJob | undefined> =>
      inTransaction(prisma, async (tx) => {
        const now = clock.now();
        const workspaceName = await closeWorkspace(tx, workspaceId, now);
        const known = await tx.removalJob.findFirst({ where: { workspaceId, kind: 'workspace' } });
        if (known) return toJob(known);
        if (workspaceName === undefined) return undefined;
        const data = { id, workspaceId, kind: 'workspace', workspaceName, requestedBy, createdAt: now };
        return toJob(await tx.removalJob.create({ data }));
      }),

    find: async (workspaceId: string, id: string): Promise<RemovalJob | undefined> => {
      const row = await prisma.removalJob.findFirst({ where: { id, workspaceId, kind: 'erasure' } });
      return row ? toJob(row) : undefined;
    },

    findDeletion: async (workspaceId: string): Promise<RemovalJob | undefined> => {
      const row = await prisma.removalJob.findFirst({ where: { workspaceId, kind: 'workspace' } });
      return row ? toJob(row) : undefined;
    },

    list: async (workspaceId: string, { limit, offset }: Page) => {
      const where = { workspaceId, kind: 'erasure' };
      const orderBy = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
      const [rows, total] = await Promise.all([
        prisma.removalJob.findMany({ where, orderBy, take: limit, skip: offset }),
        prisma.removalJob.count({ where }),
      ]);
      return { items: rows.map(toJob), total };
    },

    /**
     * Leases the job that has been due longest; undefined if none is due. A job reads whole tables, so only the oldest
     * erasures of a workspace alternate with the jobs of others [trust.1].
     */
    claim: async (): Promise<ClaimedJob | undefined> => {
      const claimed = await queryRow(
        prisma,
        idRow,
        sql`
          UPDATE removal_jobs SET status = 'running', lease_until = clock_timestamp() + ${LEASE}, fence = fence + 1
          WHERE id = (
            SELECT id FROM removal_jobs j
            WHERE status <> 'completed' AND due_at <= clock_timestamp()
              AND (lease_until IS NULL OR lease_until < clock_timestamp())
              AND (kind = 'workspace' OR id = ANY (ARRAY (
                SELECT o.id FROM removal_jobs o
                WHERE o.workspace_id = j.workspace_id AND o.kind = 'erasure' AND o.status <> 'completed'
                ORDER BY o.created_at, o.id LIMIT ${MAX_ACTIVE})))
            ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
          RETURNING id::text`,
      );
      const row = claimed && (await prisma.removalJob.findUnique({ where: { id: claimed.id } }));
      if (!row) return undefined;
      const sealed = row.sealedNumber;
      return {
        ...toJob(row),
        fence: row.fence,
        isNew: row.fence === 1,
        phoneNumber: sealed === null ? null : box.open(sealed, numberPlace(row.id)),
      };
    },

    /** No effect if another process has leased the job in the meantime. */
    save: (job: ClaimedJob, { progress, isComplete, pauseMs }: Step): Promise<void> =>
      inTransaction(prisma, async (tx) => {
        const completion = isComplete
          ? sql`, status = 'completed', completed_at = ${clock.now()}, sealed_number = NULL, number_mark = NULL`
          : sql``;
        const saved = await tx.$executeRaw(sql`
          UPDATE removal_jobs SET pass = ${progress.pass}, service = ${progress.service}, found = ${progress.found},
            waiting = ${progress.waiting}, waiting_for = ${progress.waitingFor},
            receipt = ${JSON.stringify(progress.receipt)}::jsonb, lease_until = NULL, failures = 0,
            due_at = clock_timestamp() + ${pauseMs}::float8 * interval '1 millisecond'${completion}
          WHERE id = ${job.id}::uuid AND fence = ${job.fence} AND status <> 'completed'`);
        if (saved === 0 || !isComplete) return;
        if (job.kind === 'workspace') {
          await tx.workspace.deleteMany({ where: { id: job.workspaceId } });
          return;
        }
        await addAuditEntry(
          tx,
          { workspaceId: job.workspaceId, actor: { kind: 'service', id: 'gateway' } },
          {
            action: 'erasure.completed',
            target: { type: 'erasure', id: job.id },
            changes: { number_ending: { to: job.numberEnding } },
            at: clock.now(),
          },
        );
      }),

    /** Retries later: the delay doubles up to a minute, in real time like the lease. */
    postpone: async ({ id, fence }: ClaimedJob): Promise<void> => {
      await prisma.$executeRaw`
        UPDATE removal_jobs SET lease_until = NULL, failures = failures + 1,
          due_at = clock_timestamp() + LEAST(60, 2 ^ LEAST(failures, 6)) * interval '1 second'
        WHERE id = ${id}::uuid AND fence = ${fence}`;
    },
  };
}

function tooMany(): AppError {
  return new AppError('RATE_LIMITED', `At most ${MAX_OPEN} erasures of a workspace may be in progress`, {
    retryAfterSeconds: 60,
  });
}

function markOf(workspaceId: string, phoneNumber: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`erasure ${workspaceId} ${phoneNumber}`).digest('hex');
}

function toJob(row: Row): RemovalJob {
  const { sealedNumber: _sealed, numberMark: _mark, fence: _fence, ...job } = row;
  return {
    ...job,
    kind: row.kind as RemovalJob['kind'],
    status: row.status as RemovalJob['status'],
    receipt: row.receipt as Receipt,
  };
}
