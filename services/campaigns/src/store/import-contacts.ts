import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEvents } from 'node:timers/promises';
import type { ContactInput } from '@parley/contracts';
import { AppError, isConnectivityError } from '@parley/kit/errors';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ImportContacts, WrittenContacts } from '../domain/ports.ts';
import { MARKS_APART, markContacts, markFirstContacts } from './contact-marks.ts';
import { CONTACT_COLUMNS, contactLines } from './copy-text.ts';
import { pgSql } from './pg-sql.ts';
import type { Spool, Spools } from './spool.ts';

const COPY = `COPY contacts (${CONTACT_COLUMNS}) FROM STDIN`;

/** What follows the COPY of a campaign's contacts is done by one upload at a time; verbs and dials don't wait for it. */
const ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('contacts ' || $1, 0))";

/**
 * The first of each number stays, and what the campaign had before before all others. `xmin` tells what this transaction
 * has written: ids of two uploads that come at the same time overlap.
 */
const SKIP_DUPLICATES = `
  DELETE FROM contacts WHERE campaign_id = $1 AND id IN (
    SELECT id FROM (
      SELECT id, is_new, row_number() OVER (PARTITION BY phone_number ORDER BY is_new, id) AS place
      FROM (SELECT id, phone_number, xmin = pg_current_xact_id()::xid AS is_new FROM contacts WHERE campaign_id = $1) AS all_of_it
    ) AS numbered WHERE is_new AND place > 1
  )`;

/**
 * An upload is read, checked and spooled to its end before it takes a connection: a slow client holds none, and the
 * transaction lasts no longer than the COPY.
 */
export function createImportContacts(pool: Pool, spools: Spools): ImportContacts {
  return async ({ campaignId, isNew, skipDuplicates, failure, finish }, contacts) => {
    const spool = spools.open();
    try {
      const { count, marks, firstId, lastId } = await fill(spool, contacts, campaignId);
      return await inTransaction(pool, failure, async (client) => {
        const tx = pgSql(client);
        await inserting(pipeline(spool.read(), client.query(copyFrom(COPY))));
        await client.query(ONE_AT_A_TIME, [campaignId]);
        const { rowCount } = skipDuplicates()
          ? await inserting(client.query(SKIP_DUPLICATES, [campaignId]))
          : { rowCount: 0 };
        const skipped = rowCount ?? 0;
        const isPlain = isNew && skipped === 0;
        await inserting(
          isPlain ? markFirstContacts(tx, campaignId, marks) : markContacts(tx, campaignId, firstId),
        );
        return finish(tx, { count: count - skipped, lastId });
      });
    } finally {
      await spool.close();
    }
  };
}

type Filled = WrittenContacts & {
  firstId: string;
  /** Every thousandth, from the first on. */
  marks: string[];
};

/** Other requests have their turn between runs. */
async function fill(
  spool: Spool,
  contacts: AsyncIterable<ContactInput[]>,
  campaignId: string,
): Promise<Filled> {
  const marks: string[] = [];
  let count = 0;
  let lastId = '';
  for await (const run of contacts) {
    const { text, ids } = contactLines(campaignId, run);
    const toMark = (MARKS_APART - (count % MARKS_APART)) % MARKS_APART;
    for (let at = toMark; at < ids.length; at += MARKS_APART) marks.push(ids[at] ?? '');
    lastId = ids.at(-1) ?? lastId;
    count += run.length;
    await inserting(spool.write(text));
    await yieldToEvents();
  }
  return { count, firstId: marks[0] ?? '', lastId, marks };
}

async function inTransaction<T>(
  pool: Pool,
  failure: Failure,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks tells whatever query is waiting; without a listener it would end the process as well.
  client.on('error', ignore);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.off('error', ignore);
    client.release();
    return result;
  } catch (err) {
    // Closing the connection rolls back whatever was under way, a half COPY too.
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

/** Our own errors say what they mean, and an outage is a 503 (D1.2). */
function translated(code: Failure, cause: unknown): unknown {
  if (cause instanceof AppError || isConnectivityError(cause)) return cause;
  return new AppError(code, MESSAGES[code], { cause });
}
