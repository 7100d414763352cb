import { type Sql, transaction } from '@parley/kit/db';
import { once } from '@parley/kit/inbox';
import type { Clock } from '@parley/kit/time';
import type { NewEvent } from '../domain/events/make-event.ts';
import type { EndpointNews, EventWriter, HandleOnce } from '../domain/events/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { lockCall } from './call-lock.ts';
import { supersedeOlder } from './supersede-older.ts';

/** `HandleOnce` over the inbox of this database. */
export function createHandleOnce(prisma: PrismaClient, clock: Clock, consumer: string): HandleOnce {
  return (messageId, work) =>
    transaction(prisma, async (tx) => {
      if (!(await once(tx, consumer, messageId))) return false;
      await work(createEventWriter(tx, clock));
      return true;
    });
}

function createEventWriter(tx: Sql, clock: Clock): EventWriter {
  return {
    noteEndpoint: (news) => noteEndpoint(tx, news),
    addEvent: async (event) => {
      await lockCall(tx, event.callId);
      await supersedeOlder(tx, event.callId, event.event, event.edition);
      await insertEvent(tx, event, clock.now());
    },
  };
}

async function noteEndpoint(tx: Sql, { agentId, workspaceId, version, url }: EndpointNews): Promise<void> {
  await tx.$executeRawUnsafe(
    // Asked first: a conflict locks the row until the commit, and calls of one assistant would wait for each other.
    `INSERT INTO endpoints (agent_id, workspace_id, version, url)
     SELECT $1::uuid, $2::uuid, $3, $4
     WHERE NOT EXISTS (SELECT FROM endpoints WHERE agent_id = $1::uuid AND version >= $3)
     ON CONFLICT (agent_id) DO UPDATE SET version = excluded.version, url = excluded.url, unresponsive = false
     WHERE endpoints.version < excluded.version`,
    agentId,
    workspaceId,
    version,
    url,
  );
}

/**
 * Blocked while one of the earlier events is pending or hasn't arrived; due at the end of the hold all the same. Blocked
 * too while an older edition is being attempted: whatever ends that attempt releases it, and until then it isn't ready.
 * An edition that comes after a newer one is kept for the record alone.
 */
async function insertEvent(tx: Sql, event: NewEvent, now: Date): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO events (id, workspace_id, call_id, agent_id, event, edition, position, body, hold_until,
       status, reason, blocked, next_attempt_at, ready, created_at)
     SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5, $6, $7, $8, $9::timestamptz,
       CASE WHEN late THEN 'failed' ELSE 'pending' END, CASE WHEN late THEN 'superseded' END,
       NOT late AND (waits OR behind),
       CASE WHEN NOT late THEN due_at END, NOT late AND NOT behind AND due_at <= $10::timestamptz,
       $10::timestamptz
     FROM (
       SELECT EXISTS (
         SELECT FROM events e WHERE e.call_id = $3::uuid AND e.event = $5 AND e.edition > $6
       ) AS late, EXISTS (
         SELECT FROM events e
         WHERE e.call_id = $3::uuid AND e.event = $5 AND e.edition < $6 AND e.status = 'pending'
       ) AS behind, EXISTS (
         SELECT FROM unnest($11::smallint[]) AS earlier (position)
         WHERE NOT EXISTS (
           SELECT FROM events e
           WHERE e.call_id = $3::uuid AND e.position = earlier.position AND e.status <> 'pending'
         )
       ) AS waits
     ) AS order_of_call
     CROSS JOIN LATERAL (
       SELECT CASE WHEN waits OR behind THEN greatest($9::timestamptz, $10::timestamptz) ELSE $10::timestamptz END
     ) AS due (due_at)
     ON CONFLICT (call_id, event, edition) DO NOTHING`,
    event.id,
    event.workspaceId,
    event.callId,
    event.agentId,
    event.event,
    event.edition,
    event.position,
    event.body,
    event.holdUntil,
    now,
    event.waitsFor,
  );
}
