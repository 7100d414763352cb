import { readMessageContentOf } from '@parley/contracts';
import { z } from 'zod';
import type { ReadContent } from '../amqp/index.ts';
import { queryRow, type SqlClient, sql } from '../db/index.ts';
import { AppError } from '../errors/index.ts';
import { connectService, type ServiceClientOptions } from '../http/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';

const BATCH = 100;

const contentRow = z.object({ payload: z.string() });

/** The content of a message that was published by reference. */
export async function readContent(
  client: SqlClient,
  workspaceId: string,
  messageId: string,
): Promise<{ payload: string }> {
  const row = await queryRow(
    client,
    contentRow,
    sql`SELECT payload FROM outbox_contents WHERE message_id = ${messageId}::uuid AND workspace_id = ${workspaceId}::uuid`,
  );
  if (!row) throw new AppError('NOT_FOUND', 'The content of the message has been deleted');
  return row;
}

/** Deletes a batch of contents older than 30 days, which no consumer needs; true if there may be more. */
export async function sweepContents(client: SqlClient): Promise<boolean> {
  const deleted = await client.$executeRaw(sql`
    DELETE FROM outbox_contents WHERE message_id IN (
      SELECT message_id FROM outbox_contents WHERE created_at < clock_timestamp() - interval '30 days'
      ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`);
  return deleted === BATCH;
}

/** From the beginning of the read, which waits for its turn before; a content may have megabytes. */
const READ_TIMEOUT_MS = 15_000;

/**
 * Reads the content of messages that telephony published by reference, with a client of its own: large contents that are slow
 * must not open the circuit breaker of other requests.
 */
export function contentOfTelephony(
  options: Pick<ServiceClientOptions, 'caller' | 'baseUrl' | 'internalTokens' | 'log'>,
  lifecycle: Pick<Lifecycle, 'onStop'>,
): ReadContent {
  const telephony = connectService({ ...options, name: 'telephony', timeoutMs: READ_TIMEOUT_MS }, lifecycle);
  const endpoint = readMessageContentOf('telephony');
  return async ({ id, workspace_id: workspaceId, content: { service } }) => {
    if (service !== 'telephony')
      throw new AppError('NOT_FOUND', `${service} publishes no messages by reference`);
    return (await telephony.call(endpoint, { params: { id } }, { workspaceId })).payload;
  };
}
