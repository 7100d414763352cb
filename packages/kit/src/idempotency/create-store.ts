import type { Sql } from '../db/index.ts';
import { AppError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import type { SecretBox } from '../secrets/index.ts';
import { type Clock, DB_NOW } from '../time/index.ts';
import { createBodyMark } from './body-mark.ts';
import type { Begun, Claim, IdempotencyScope, IdempotencyStore } from './store.ts';

/** In stack time (D1.7). */
const KEPT_MS = 24 * 3_600_000;
/** In real time: it measures whether the process of the first request still lives. */
const LEASE = "interval '10 seconds'";
const SWEEP_BATCH = 1_000;
/** A row can vanish between the refused insert and the look at it. */
const BEGIN_TRIES = 3;

const ROW = '"workspace_id" = $1::uuid AND "method" = $2 AND "path" = $3 AND "key" = $4';
const OURS = `${ROW} AND "owner" = $5::uuid AND "state" = 'running'`;
const FREE = `(k."state" = 'answered' AND k."expires_at" <= $8::timestamptz)
  OR (k."state" = 'running' AND k."lease_until" < ${DB_NOW})`;

const INSERT = `
  INSERT INTO "idempotency_keys" AS k ("workspace_id", "method", "path", "key", "owner", "state", "body_hash",
    "lease_until", "created_at", "expires_at")
  VALUES ($1::uuid, $2, $3, $4, $5::uuid, 'running', $6, ${DB_NOW} + ${LEASE}, $8::timestamptz, $7::timestamptz)
  ON CONFLICT ("workspace_id", "method", "path", "key") DO UPDATE SET
    "owner" = EXCLUDED."owner", "state" = 'running', "body_hash" = EXCLUDED."body_hash", "status" = NULL,
    "answer" = NULL, "lease_until" = EXCLUDED."lease_until", "created_at" = EXCLUDED."created_at",
    "expires_at" = EXCLUDED."expires_at"
  WHERE ${FREE}`;
const SELECT = `SELECT "state", "body_hash", "status", "answer" FROM "idempotency_keys" WHERE ${ROW}`;
const ANSWER = `UPDATE "idempotency_keys" SET "state" = 'answered', "status" = $6::smallint, "answer" = $7,
  "body_hash" = $8 WHERE ${OURS}`;
const RENEW = `UPDATE "idempotency_keys" SET "lease_until" = ${DB_NOW} + ${LEASE} WHERE ${OURS}`;
const RELEASE = `DELETE FROM "idempotency_keys" WHERE ${OURS}`;
const SWEEP = `DELETE FROM "idempotency_keys" WHERE ctid IN (
  SELECT ctid FROM "idempotency_keys" AS k WHERE "expires_at" <= $1::timestamptz
    AND ("state" = 'answered' OR "lease_until" < ${DB_NOW})
  LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`;

type Row = {
  state: 'running' | 'answered';
  body_hash: string | null;
  status: number | null;
  answer: string | null;
};

export type IdempotencyStoreDeps = {
  sql: Sql;
  clock: Clock;
  /** Keeps whoever reads the table from guessing what a body was. All replicas of a service have the same. */
  secret: string;
  /** Where answers show secrets that are stored nowhere else: they are kept sealed, each for its own place. */
  answers?: Pick<SecretBox, 'seal' | 'open'>;
};

/**
 * Keeps idempotency keys in the service's own database (spec D1.7), table `idempotency_keys` of `sql/idempotency.sql`.
 * `sql` must not be a transaction: what `begin` writes has to be seen by others at once.
 */
export function createIdempotencyStore({
  sql,
  clock,
  secret,
  answers = PLAIN,
}: IdempotencyStoreDeps): IdempotencyStore {
  const { markOf, fits } = createBodyMark(secret);
  const read = async (scope: IdempotencyScope): Promise<Begun | undefined> => {
    const [row] = await sql.$queryRawUnsafe<Row[]>(SELECT, ...rowOf(scope));
    if (row?.state === 'answered') {
      return {
        state: 'answered',
        status: row.status ?? 0,
        body: answers.open(row.answer ?? '', placeOf(scope)),
        fits: fits(scope, row.body_hash),
      };
    }
    return row && { state: 'running', fits: fits(scope, row.body_hash) };
  };

  return {
    begin: async (scope, digest) => {
      const bodyMark = digest === null ? null : markOf(scope, digest);
      for (let attempt = 1; attempt <= BEGIN_TRIES; attempt += 1) {
        const claim = { ...scope, owner: newId() };
        const now = clock.now();
        const expires = new Date(now.getTime() + KEPT_MS);
        const values = [...ourRow(claim), bodyMark, expires.toISOString(), now.toISOString()];
        if ((await sql.$executeRawUnsafe(INSERT, ...values)) > 0) return { state: 'started', claim };
        const found = await read(scope);
        if (found) return found;
      }
      return { state: 'running', fits: () => true };
    },

    answer: async (tx, claim, { status, body, digest }) => {
      const sealed = answers.seal(body, placeOf(claim));
      const values = [...ourRow(claim), status, sealed, markOf(claim, digest)];
      if ((await tx.$executeRawUnsafe(ANSWER, ...values)) === 0) {
        throw new AppError('IDEMPOTENCY_IN_PROGRESS', 'Another request with this Idempotency-Key took over');
      }
    },

    renew: async (claim) => {
      await sql.$executeRawUnsafe(RENEW, ...ourRow(claim));
    },

    release: async (claim) => {
      await sql.$executeRawUnsafe(RELEASE, ...ourRow(claim));
    },

    sweep: async () => {
      let deleted = 0;
      for (let batch = SWEEP_BATCH; batch === SWEEP_BATCH; deleted += batch) {
        batch = await sql.$executeRawUnsafe(SWEEP, clock.now().toISOString());
      }
      return deleted;
    },
  };
}

const PLAIN = { seal: (body: string) => body, open: (body: string) => body };

const placeOf = (scope: IdempotencyScope): string => `idempotency_keys:answer:${rowOf(scope).join(' ')}`;

function rowOf({ workspaceId, method, path, key }: IdempotencyScope): string[] {
  return [workspaceId, method, path, key];
}

function ourRow(claim: Claim): string[] {
  return [...rowOf(claim), claim.owner];
}
