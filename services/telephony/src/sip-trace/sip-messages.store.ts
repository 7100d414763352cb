import { queryRow, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { TracedMessage } from '../carriers/sip/trace.ts';
import { storableText } from '../sessions/storable.ts';
import type { WithoutErased } from '../sessions/without-erased.ts';

/** Maximum per call: later messages are not stored [sip.37]. */
const MAX_MESSAGES = 200;
const MAX_CHARACTERS = 262_144;
/** A message whose call was never stored, such as a call that was refused, is removed after this time. */
const ORPHANED_AFTER = '10 minutes';
const SWEEP_BATCH = 5_000;

const messageRow = z.object({
  at: z.date(),
  direction: z.enum(['sent', 'received']),
  transport: z.string(),
  local: z.string(),
  remote: z.string(),
  message: z.string(),
});
const callRow = z.object({ id: z.string(), workspaceId: z.string(), since: z.date() });
const foundRow = z.object({ found: z.boolean() });

export type CallMessage = TracedMessage & { callId: string };
export type SipMessages = ReturnType<typeof createSipMessages>;

export function createSipMessages(client: SqlClient, withoutErased: WithoutErased) {
  /** Numbers that were erased since a call began, such as the one that it was transferred to, are masked in its later messages. */
  const mask = async (messages: readonly CallMessage[]): Promise<CallMessage[]> => {
    const ids = [...new Set(messages.map(({ callId }) => callId))];
    const rows = await queryRows(
      client,
      callRow,
      sql`SELECT id::text, workspace_id::text AS "workspaceId",
          -- The first message is in real time, the call in stack time.
          least(created_at, (SELECT at FROM sip_messages WHERE call_id = id ORDER BY seq LIMIT 1)) AS since
        FROM calls WHERE id = ANY (${ids}::uuid[])`,
    );
    const calls = new Map(rows.map((row) => [row.id, row]));
    const masked: CallMessage[] = [];
    // One after the other: in a workspace with erasures each message costs a query.
    for (const message of messages) {
      const call = calls.get(message.callId);
      const text = call
        ? await withoutErased({ workspaceId: call.workspaceId, readAt: call.since }, message.message)
        : message.message;
      masked.push({ ...message, message: text });
    }
    return masked;
  };

  return {
    /** In their order, up to the limits of each call; not for calls that an erasure has cleared. */
    add: async (messages: readonly CallMessage[]): Promise<void> => {
      const json = JSON.stringify((await mask(messages)).map(toRow));
      await client.$executeRaw(sql`
        WITH given AS (
          SELECT m.* FROM ROWS FROM (json_to_recordset(${json}::json) AS (call_id uuid, at timestamptz, direction text, transport text,
            local text, remote text, message text)) WITH ORDINALITY AS m (call_id, at, direction, transport, local, remote, message, n)
          WHERE NOT EXISTS (SELECT FROM removal_calls r WHERE r.call_id = m.call_id)
        ), stored AS (
          SELECT call_id, count(*) AS messages, sum(length(message)) AS characters FROM sip_messages
          WHERE call_id IN (SELECT call_id FROM given) GROUP BY call_id
        ), counted AS (
          SELECT g.*, coalesce(s.messages, 0) + row_number() OVER w AS messages,
            coalesce(s.characters, 0) + sum(length(g.message)) OVER w AS characters
          FROM given g LEFT JOIN stored s USING (call_id) WINDOW w AS (PARTITION BY g.call_id ORDER BY g.n)
        )
        INSERT INTO sip_messages (call_id, at, direction, transport, local, remote, message)
        SELECT call_id, at, direction, transport, local, remote, message FROM counted
        WHERE messages <= ${MAX_MESSAGES} AND characters <= ${MAX_CHARACTERS} ORDER BY n`);
    },

    /** Undefined for an unknown call. */
    of: async (callId: string): Promise<z.infer<typeof messageRow>[] | undefined> => {
      const call = await queryRow(
        client,
        foundRow,
        sql`SELECT EXISTS (SELECT FROM calls WHERE id = ${callId}::uuid) AS found`,
      );
      if (!call?.found) return undefined;
      return queryRows(
        client,
        messageRow,
        sql`SELECT at, direction, transport, local, remote, message FROM sip_messages
          WHERE call_id = ${callId}::uuid ORDER BY seq`,
      );
    },

    /** Removes messages without a call; true: there may be more. */
    sweep: async (): Promise<boolean> => {
      const count = await client.$executeRaw(sql`
        DELETE FROM sip_messages WHERE (call_id, seq) IN (
          SELECT m.call_id, m.seq FROM sip_messages m
          WHERE m.at < now() - ${ORPHANED_AFTER}::interval AND m.at > now() - interval '1 day'
            AND NOT EXISTS (SELECT FROM calls c WHERE c.id = m.call_id) LIMIT ${SWEEP_BATCH})`);
      return count === SWEEP_BATCH;
    },
  };
}

function toRow({ callId, at, direction, transport, local, remote, message }: CallMessage) {
  const address = { local: storableText(local), remote: storableText(remote) };
  return {
    call_id: callId,
    at: at.toISOString(),
    direction,
    transport,
    ...address,
    message: storableText(message),
  };
}
