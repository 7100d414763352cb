import type { RefusedMessage } from '@parley/contracts';
import { z } from 'zod';
import { queryRow, queryRows, raw, type SqlClient, type Statement, sql } from '../db/index.ts';
import { AppError } from '../errors/index.ts';

/** Messages that the broker refused, for the operator [trust.4]. Throws `NOT_FOUND` for an unknown id. */
export type RefusedMessages = {
  /** The oldest thousand. */
  list(): Promise<RefusedMessage[]>;
  read(messageId: string): Promise<RefusedMessage & { payload: string }>;
  /** Moves the message back to the outbox, which publishes it within half a second under the same id. */
  requeue(messageId: string): Promise<RefusedMessage>;
  discard(messageId: string): Promise<RefusedMessage>;
};

const refusedRow = z.object({
  message_id: z.string(),
  type: z.string(),
  workspace_id: z.string(),
  bytes: z.number(),
  created_at: z.string(),
  refused_at: z.string(),
  reason: z.string(),
});
const withPayload = refusedRow.extend({ payload: z.string() });

const FACTS = raw(`message_id::text, type, workspace_id::text, octet_length(payload) AS bytes,
  to_json(created_at)#>>'{}' AS created_at, to_json(refused_at)#>>'{}' AS refused_at, reason`);

export function createRefusedMessages(client: SqlClient): RefusedMessages {
  const one = async <Row extends z.ZodType>(row: Row, statement: Statement): Promise<z.infer<Row>> => {
    const found = await queryRow(client, row, statement);
    if (!found) throw new AppError('NOT_FOUND', 'No such refused message');
    return found;
  };
  return {
    list: () =>
      queryRows(
        client,
        refusedRow,
        sql`SELECT ${FACTS} FROM outbox_refused ORDER BY refused_at, message_id LIMIT 1000`,
      ),
    read: (messageId) =>
      one(
        withPayload,
        sql`SELECT ${FACTS}, payload FROM outbox_refused WHERE message_id = ${messageId}::uuid`,
      ),
    requeue: (messageId) =>
      one(
        refusedRow,
        sql`WITH taken AS (DELETE FROM outbox_refused WHERE message_id = ${messageId}::uuid RETURNING *), queued AS (
            INSERT INTO outbox (message_id, type, workspace_id, payload, traceparent)
            SELECT message_id, type, workspace_id, payload, traceparent FROM taken
          )
          SELECT ${FACTS} FROM taken`,
      ),
    discard: (messageId) =>
      one(
        refusedRow,
        sql`DELETE FROM outbox_refused WHERE message_id = ${messageId}::uuid RETURNING ${FACTS}`,
      ),
  };
}
