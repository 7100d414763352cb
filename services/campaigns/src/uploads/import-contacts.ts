import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEvents } from 'node:timers/promises';
import type { ContactInput } from '@parley/contracts';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import { pgSqlClient, type SqlClient, sql } from '@parley/kit/db';
import { AppError, isConnectivityError } from '@parley/kit/errors';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { MARK_INTERVAL, markContacts, markFirstContacts } from '../contacts/contact-marks.ts';
import { CONTACT_COLUMNS, contactLines } from './copy-text.ts';
import type { Spool, Spools } from './spool.ts';

/** The number of stored contacts of an upload; the last one has the highest id. */
export type ImportedContacts = { count: number; lastId: string };

/** On a connection of the driver, not of Prisma. */
export type ImportTransaction = ReturnType<typeof pgSqlClient>;

type Import<T> = {
  workspaceId: string;
  campaignId: string;
  /** The campaign isn't committed yet: these are its only contacts. */
  isNew: boolean;
  skipDuplicates: () => boolean;
  /** The error code when the database rejects `finish`. */
  failure: Failure;
  /** Runs last in the transaction and must be short: it may lock rows that others wait for. */
  finish: (tx: ImportTransaction, imported: ImportedContacts) => Promise<T>;
};

/** Stores contacts and what `finish` writes in one transaction, once all contacts have arrived [campaigns.2]. */
export type ImportContacts = <T>(upload: Import<T>, contacts: AsyncIterable<ContactInput[]>) => Promise<T>;

/** Uploads of one workspace that wait for a connection. */
const MAX_QUEUED = 64;

/**
 * An upload is read, checked and spooled completely before it takes a connection: a slow client holds none, and the
 * transaction lasts no longer than the COPY. One workspace's uploads use half of the connections at most.
 */
export function createImportContacts(pool: Pool, spools: Spools, connections: number): ImportContacts {
  const concurrency = Math.max(1, Math.floor(connections / 2));
  const limiter = createKeyedLimiter({ concurrency, maxQueued: MAX_QUEUED });
  return async (upload, contacts) => {
    const { workspaceId, campaignId, failure } = upload;
    const spool = spools.open(workspaceId);
    try {
      const spooled = await fill(spool, contacts, campaignId);
      return await limiter.run(workspaceId, () =>
        inTransaction(pool, failure, (client) => store(client, spool, spooled, upload)),
      );
    } finally {
      await spool.close();
    }
  };
}

type Spooled = ImportedContacts & {
  firstId: string;
  /** Every thousandth id, beginning with the first. */
  marks: string[];
};

async function fill(
  spool: Spool,
  contacts: AsyncIterable<ContactInput[]>,
  campaignId: string,
): Promise<Spooled> {
  const marks: string[] = [];
  let count = 0;
  let lastId = '';
  for await (const run of contacts) {
    const { text, ids } = contactLines(campaignId, run);
    const firstMark = (MARK_INTERVAL - (count % MARK_INTERVAL)) % MARK_INTERVAL;
    for (let at = firstMark; at < ids.length; at += MARK_INTERVAL) marks.push(ids[at] ?? '');
    lastId = ids.at(-1) ?? lastId;
    count += run.length;
    await inserting(spool.write(text));
    // Other requests are served between runs.
    await yieldToEvents();
  }
  return { count, firstId: marks[0] ?? '', lastId, marks };
}

async function store<T>(
  client: PoolClient,
  spool: Spool,
  { count, firstId, lastId, marks }: Spooled,
  { campaignId, isNew, skipDuplicates, finish }: Import<T>,
): Promise<T> {
  const tx = pgSqlClient(client);
  await inserting(
    pipeline(spool.read(), client.query(copyFrom(`COPY contacts (${CONTACT_COLUMNS}) FROM STDIN`))),
  );
  // The steps after the COPY run for one upload of a campaign at a time; verbs and dials don't wait for them.
  await tx.$executeRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`contacts ${campaignId}`}, 0))`);
  const skipped = skipDuplicates() ? await inserting(deleteDuplicates(tx, campaignId)) : 0;
  const isPlain = isNew && skipped === 0;
  await inserting(isPlain ? markFirstContacts(tx, campaignId, marks) : markContacts(tx, campaignId, firstId));
  return finish(tx, { count: count - skipped, lastId });
}

/**
 * Keeps the first contact of each number, and earlier uploads' before this one's. `xmin` identifies the rows of this
 * transaction, since ids of overlapping uploads interleave.
 */
function deleteDuplicates(tx: SqlClient, campaignId: string): Promise<number> {
  return tx.$executeRaw(sql`
    DELETE FROM contacts WHERE campaign_id = ${campaignId}::uuid AND id IN (
      SELECT id FROM (
        SELECT id, is_new, row_number() OVER (PARTITION BY phone_number ORDER BY is_new, id) AS place
        FROM (
          SELECT id, phone_number, xmin = pg_current_xact_id()::xid AS is_new
          FROM contacts WHERE campaign_id = ${campaignId}::uuid
        ) AS contact
      ) AS numbered WHERE is_new AND place > 1
    )`);
}

async function inTransaction<T>(
  pool: Pool,
  failure: Failure,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // The waiting query reports a broken connection; without a listener it would also end the process.
  client.on('error', ignore);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.off('error', ignore);
    client.release();
    return result;
  } catch (err) {
    // Closing the connection rolls back, even in the middle of COPY.
    client.release(true);
    throw translated(failure, err);
  }
}

function ignore(): void {}

type Failure = 'CREATE_FAILED' | 'CONTACTS_INSERT_FAILED';

const MESSAGES: Record<Failure, string> = {
  CREATE_FAILED: 'The campaign could not be created',
  CONTACTS_INSERT_FAILED: 'The contacts could not be stored',
};

const inserting = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw translated('CONTACTS_INSERT_FAILED', cause);
  });

/** An outage stays a 503 [general.8]. */
function translated(code: Failure, cause: unknown): unknown {
  if (cause instanceof AppError || isConnectivityError(cause)) return cause;
  return new AppError(code, MESSAGES[code], { cause });
}
