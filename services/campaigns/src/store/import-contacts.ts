import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ContactInput } from '@parley/contracts';
import { AppError, isConnectivityError } from '@parley/kit/errors';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ImportContacts } from '../domain/ports.ts';
import { CONTACT_COLUMNS, contactLines } from './copy-text.ts';
import { pgSql } from './pg-sql.ts';

/** Short uploads are read to their end before they take a connection: a slow client holds none. */
const HELD_BACK_CHARS = 512 * 1024;

const COPY = `COPY contacts (${CONTACT_COLUMNS}) FROM STDIN`;

/** The first of each number stays. Asked for after the contacts or before: the key may come in any order. */
const SKIP_DUPLICATES = `
  DELETE FROM contacts WHERE campaign_id = $1 AND id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY phone_number ORDER BY id) AS place
      FROM contacts WHERE campaign_id = $1
    ) AS numbered WHERE place > 1
  )`;

export function createImportContacts(pool: Pool): ImportContacts {
  return async ({ campaignId, skipDuplicates }, contacts, finish) => {
    const upload = contacts[Symbol.asyncIterator]();
    try {
      const heldBack = await readAhead(upload, campaignId);
      return await inTransaction(pool, async (client) => {
        const copied = await copyAll(client, heldBack, upload, campaignId);
        const skipped = skipDuplicates()
          ? await inserting(client.query(SKIP_DUPLICATES, [campaignId]))
          : undefined;
        return creating(finish(pgSql(client), copied - (skipped?.rowCount ?? 0)));
      });
    } finally {
      // Lets go of a body that is not read to its end.
      await upload.return?.();
    }
  };
}

async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks tells whatever query is waiting; without a listener it would end the process as well.
  client.on('error', ignore);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await creating(client.query('COMMIT'));
    client.off('error', ignore);
    client.release();
    return result;
  } catch (err) {
    // Closing the connection rolls back whatever was under way, a half COPY too.
    client.release(true);
    throw err;
  }
}

function ignore(): void {}

type Upload = AsyncIterator<ContactInput[]>;
type Held = { lines: string[]; count: number; ended: boolean };

async function readAhead(upload: Upload, campaignId: string): Promise<Held> {
  const held: Held = { lines: [], count: 0, ended: false };
  for (let chars = 0; chars < HELD_BACK_CHARS; ) {
    const next = await upload.next();
    if (next.done) return { ...held, ended: true };
    const lines = contactLines(campaignId, next.value);
    held.lines.push(lines);
    held.count += next.value.length;
    chars += lines.length;
  }
  return held;
}

async function copyAll(client: PoolClient, held: Held, upload: Upload, campaignId: string): Promise<number> {
  const stream = client.query(copyFrom(COPY));
  // Between two writes nobody listens; the next write, or the end, meets the same error.
  stream.on('error', ignore);
  for (const lines of held.lines) await inserting(write(stream, lines));
  let count = held.count;
  for (let ended = held.ended; !ended; ) {
    const next = await upload.next();
    ended = next.done === true;
    if (next.done) break;
    await inserting(write(stream, contactLines(campaignId, next.value)));
    count += next.value.length;
  }
  stream.end();
  await inserting(finished(stream));
  return count;
}

async function write(stream: Writable, lines: string): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (!stream.write(lines)) await once(stream, 'drain');
}

const inserting = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw translated('CONTACTS_INSERT_FAILED', 'The contacts could not be stored', cause);
  });

const creating = <T>(work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw translated('CREATE_FAILED', 'The campaign could not be created', cause);
  });

/** Our own errors say what they mean, and an outage is a 503 (D1.2). */
function translated(
  code: 'CREATE_FAILED' | 'CONTACTS_INSERT_FAILED',
  message: string,
  cause: unknown,
): unknown {
  if (cause instanceof AppError || isConnectivityError(cause)) return cause;
  return new AppError(code, message, { cause });
}
