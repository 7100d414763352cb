import { z } from 'zod';
import { queryRow, type SqlClient, type Statement, sql } from '../db/index.ts';
import { AppError } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import type { SecretBox } from '../secrets/index.ts';
import type { Clock } from '../time/index.ts';
import { createBodyDigest } from './body-digest.ts';
import type { BeginResult, Claim, IdempotencyScope, IdempotencyStore } from './store.ts';

/** In stack time. */
const KEEP_MS = 24 * 3_600_000;
/** In real time; the process of the first request renews its claim within it. */
const LEASE = sql`interval '10 seconds'`;
const SWEEP_BATCH = 1_000;
/** A row may be deleted between the conflicting insert and the read. */
const BEGIN_ATTEMPTS = 3;

const storedRow = z.object({
  state: z.enum(['running', 'answered']),
  body_hash: z.string().nullable(),
  status: z.number().nullable(),
  answer: z.string().nullable(),
});

const rowOf = ({ workspaceId, method, path, key }: IdempotencyScope): Statement =>
  sql`workspace_id = ${workspaceId}::uuid AND method = ${method} AND path = ${path} AND key = ${key}`;

const claimed = (claim: Claim): Statement =>
  sql`${rowOf(claim)} AND owner = ${claim.owner}::uuid AND state = 'running'`;

/**
 * A claim does not wait for the disk. If the database loses it in a crash, the transaction of the use case fails at `answer`, and the client
 * sends the request again.
 */
const insert = (claim: Claim, bodyDigest: string | null, now: Date): Statement => {
  const { workspaceId, method, path, key, owner } = claim;
  const expiresAt = new Date(now.getTime() + KEEP_MS);
  return sql`
    WITH fast AS (SELECT set_config('synchronous_commit', 'off', true))
    INSERT INTO idempotency_keys AS k (workspace_id, method, path, key, owner, state, body_hash, lease_until, created_at,
      expires_at)
    SELECT ${workspaceId}::uuid, ${method}, ${path}, ${key}, ${owner}::uuid, 'running', ${bodyDigest},
      clock_timestamp() + ${LEASE}, ${now.toISOString()}::timestamptz, ${expiresAt.toISOString()}::timestamptz
    FROM fast
    ON CONFLICT (workspace_id, method, path, key) DO UPDATE SET
      owner = EXCLUDED.owner, state = 'running', body_hash = EXCLUDED.body_hash, status = NULL, answer = NULL,
      lease_until = EXCLUDED.lease_until, created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at
    WHERE (k.state = 'answered' AND k.expires_at <= ${now.toISOString()}::timestamptz)
      OR (k.state = 'running' AND k.lease_until < clock_timestamp())`;
};

export type IdempotencyStoreDeps = {
  /** Must not be a transaction: other requests have to see at once what `begin` writes. */
  sql: SqlClient;
  clock: Clock;
  /**
   * Keys of the body digests, which keep readers of the table from guessing bodies; the same for all replicas of a service. The first
   * creates digests, the others verify older ones during a rotation.
   */
  secrets: readonly (string | Buffer)[];
  /** Seals stored responses, for services whose responses contain secrets. */
  answers?: Pick<SecretBox, 'seal' | 'open'>;
};

/** Keeps idempotency keys in table `idempotency_keys` of the service's database (`sql/idempotency.sql`) [general.20]. */
export function createIdempotencyStore({
  sql: client,
  clock,
  secrets,
  answers = PLAIN,
}: IdempotencyStoreDeps): IdempotencyStore {
  const { digestOf, matches } = createBodyDigest(secrets);
  const read = async (scope: IdempotencyScope): Promise<BeginResult | undefined> => {
    const row = await queryRow(
      client,
      storedRow,
      sql`SELECT state, body_hash, status::int, answer FROM idempotency_keys WHERE ${rowOf(scope)}`,
    );
    if (row?.state === 'answered') {
      return {
        state: 'answered',
        status: row.status ?? 0,
        body: answers.open(row.answer ?? '', placeOf(scope)),
        matches: matches(scope, row.body_hash),
      };
    }
    return row && { state: 'running', matches: matches(scope, row.body_hash) };
  };

  return {
    begin: async (scope, digest) => {
      const bodyDigest = digest === null ? null : digestOf(scope, digest);
      for (let attempt = 1; attempt <= BEGIN_ATTEMPTS; attempt += 1) {
        const claim = { ...scope, owner: newId() };
        const inserted = await client.$executeRaw(insert(claim, bodyDigest, clock.now()));
        if (inserted > 0) return { state: 'started', claim };
        const found = await read(scope);
        if (found) return found;
      }
      return { state: 'running', matches: () => true };
    },

    answer: async (tx, claim, { status, body, digest }) => {
      const sealed = answers.seal(body, placeOf(claim));
      const updated = await tx.$executeRaw(sql`
        UPDATE idempotency_keys SET state = 'answered', status = ${status}::smallint, answer = ${sealed},
          body_hash = ${digestOf(claim, digest)}
        WHERE ${claimed(claim)}`);
      if (updated > 0) return;
      throw new AppError('IDEMPOTENCY_IN_PROGRESS', 'Another request with this Idempotency-Key took over');
    },

    renew: async (claim) => {
      await client.$executeRaw(
        sql`UPDATE idempotency_keys SET lease_until = clock_timestamp() + ${LEASE} WHERE ${claimed(claim)}`,
      );
    },

    release: async (claim) => {
      await client.$executeRaw(sql`DELETE FROM idempotency_keys WHERE ${claimed(claim)}`);
    },

    sweep: async () => {
      let deleted = 0;
      for (let batch = SWEEP_BATCH; batch === SWEEP_BATCH; deleted += batch) {
        batch = await client.$executeRaw(sql`
          DELETE FROM idempotency_keys WHERE ctid IN (
            SELECT ctid FROM idempotency_keys
            WHERE expires_at <= ${clock.now().toISOString()}::timestamptz
              AND (state = 'answered' OR lease_until < clock_timestamp())
            LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED)`);
      }
      return deleted;
    },
  };
}

const PLAIN = { seal: (body: string) => body, open: (body: string) => body };

const placeOf = ({ workspaceId, method, path, key }: IdempotencyScope): string =>
  `idempotency_keys:answer:${workspaceId} ${method} ${path} ${key}`;
