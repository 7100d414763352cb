import type { DedicatedConnection } from '@parley/kit/db';
import type { DeliveryStore } from '../domain/delivery/ports.ts';
import { type ClaimCaps, createClaimDue } from './claim-due.ts';
import type { DeliveryConnections } from './delivery-connections.ts';
import { freeExpired, markDue } from './mark-due.ts';
import { createSettler } from './settler.ts';

export function createDeliveryStore(
  { claims, records }: DeliveryConnections,
  caps: ClaimCaps,
  makeDays: (from: Date, to: Date) => Promise<void>,
): DeliveryStore {
  const settle = createSettler(records, makeDays);
  return {
    claim: createClaimDue(claims, caps),
    markDue: (now) => markDue(claims, now),
    freeExpired: () => freeExpired(claims),

    record: async (claim, attempt, next, reason, now) => {
      const settled = await settle({ claim, attempt, next, reason }, now);
      const timedOut = reason === 'timeout';
      if (settled && attempt && timedOut !== claim.unresponsive) {
        await noteUnresponsive(claims, claim.agentId, timedOut);
      }
      return settled;
    },

    giveBack: async (claim, at) => {
      const next = { status: 'pending', nextAttemptAt: at } as const;
      await settle({ claim, attempt: null, next, reason: null }, at);
    },
  };
}

/** Decides how many attempts of it are made at once, so it must not fail a record. */
async function noteUnresponsive(
  connection: DedicatedConnection,
  agentId: string,
  unresponsive: boolean,
): Promise<void> {
  const text = 'UPDATE endpoints SET unresponsive = $2 WHERE agent_id = $1::uuid AND unresponsive <> $2';
  await connection
    .query({ name: 'note unresponsive', text, values: [agentId, unresponsive] })
    .catch(() => {});
}
