import { type SqlClient, sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import type { Transact } from '../clients/ports.ts';
import type { Call } from '../sessions/call.ts';

/**
 * `waiting`: the request did not leave and waits again. `withdrawn`: its worker died, and the carrier does not know it. Its
 * campaign decides what happens next, because an attempt that may have left is not repeated.
 */
export type UndoneAs = 'waiting' | 'withdrawn';

/**
 * Undoes a call that the carrier never received [campaigns.11]: a campaign's call disappears with its timeline, a single call
 * is queued again. False: another worker holds the call.
 */
export function createUndoDial(deps: { transact: Transact; workerId: string; now: () => Date }) {
  return (call: Call, as: UndoneAs): Promise<boolean> =>
    deps.transact(async (tx) => {
      // Same lock order as the dialer: request, then call.
      await tx.$executeRaw(sql`SELECT 1 FROM dial_requests WHERE call_id = ${call.id}::uuid FOR UPDATE`);
      const undone = call.campaign
        ? await removeCall(tx, call, deps.workerId)
        : await queueAgain(tx, call, deps.workerId);
      if (!undone) return false;
      const reason = as === 'withdrawn' ? as : null;
      await tx.$executeRaw(
        sql`UPDATE dial_requests SET state = ${as}, reason = ${reason} WHERE call_id = ${call.id}::uuid`,
      );
      // If it was the probe of an open circuit, another one is tried at once.
      await tx.$executeRaw(sql`UPDATE number_circuits SET probe_call_id = NULL, probe_at = ${deps.now().toISOString()}::timestamptz
        WHERE probe_call_id = ${call.id}::uuid`);
      if (as === 'withdrawn' && call.campaign) {
        const { campaignId: campaign_id, contactId: contact_id } = call.campaign;
        await enqueue(tx, {
          type: 'dial.refused',
          workspaceId: call.workspaceId,
          occurredAt: deps.now(),
          traceparent: call.traceparent ?? null,
          data: { call_id: call.id, campaign_id, contact_id, reason: 'withdrawn' },
        });
      }
      return true;
    });
}

async function removeCall(tx: SqlClient, { id, fence }: Call, workerId: string): Promise<boolean> {
  const removed = await tx.$executeRaw(sql`
    DELETE FROM calls WHERE id = ${id}::uuid AND worker_id = ${workerId}::uuid AND fence = ${fence} AND phase = 'dialing'
      AND (stop_requested_at IS NULL OR stop_cause = 'workspace_suspended')`);
  if (removed > 0) await tx.$executeRaw(sql`DELETE FROM call_events WHERE call_id = ${id}::uuid`);
  return removed > 0;
}

async function queueAgain(tx: SqlClient, { id, fence }: Call, workerId: string): Promise<boolean> {
  const queued = await tx.$executeRaw(sql`
    UPDATE calls SET phase = 'queued', worker_id = NULL, started_at = NULL, carrier_state = NULL
    WHERE id = ${id}::uuid AND worker_id = ${workerId}::uuid AND fence = ${fence} AND phase = 'dialing'
      AND stop_requested_at IS NULL`);
  if (queued > 0)
    await tx.$executeRaw(sql`DELETE FROM call_events WHERE call_id = ${id}::uuid AND type = 'dialing'`);
  return queued > 0;
}
