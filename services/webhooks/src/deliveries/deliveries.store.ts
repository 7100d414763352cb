import { sql } from '@parley/kit/db';
import { type Connections, sqlOf } from '../database.ts';
import { createAttemptRecorder, type RecordResult } from './attempt-recorder.ts';
import { type Claim, type ClaimLimits, createClaimDue } from './claim-due.ts';
import { type Due, freeExpired, markDue } from './mark-due.ts';

export type DeliveryStore = {
  /** Makes events that are due by `now` claimable. Returns whether any are, and when the next event becomes due. */
  markDue(now: Date): Promise<Due>;
  /** Makes events leased by a dead process claimable again. */
  freeExpired(): Promise<void>;
  /** Leases due events; `maxUnresponsive` of them for endpoints whose last attempt timed out. */
  claim(maxClaims: number, maxUnresponsive?: number, maxBytes?: number): Promise<Claim[]>;
  /** Records an attempt, its event's next step and the release of the call's next event. False: the claim was lost. */
  record(claim: Claim, result: Omit<Parameters<RecordResult>[0], 'claim'>, now: Date): Promise<boolean>;
  /** Returns a claim as if it had never been made; its event, or its newer edition, is due at `at`. */
  giveBack(claim: Claim, at: Date): Promise<void>;
};

export function createDeliveryStore(
  { claims, records }: Connections,
  limits: ClaimLimits,
  makeDays: (from: Date, to: Date) => Promise<void>,
): DeliveryStore {
  const record = createAttemptRecorder(records, makeDays);

  /** It only limits the number of concurrent attempts, so it must not fail a record. */
  const noteUnresponsive = async (agentId: string, unresponsive: boolean): Promise<void> => {
    const statement = sql`
      UPDATE endpoints SET unresponsive = ${unresponsive}::bool
      WHERE agent_id = ${agentId}::uuid AND unresponsive <> ${unresponsive}::bool`;
    await sqlOf(claims)
      .$executeRaw(statement)
      .catch(() => {});
  };

  return {
    claim: createClaimDue(claims, limits),
    markDue: (now) => markDue(claims, now),
    freeExpired: () => freeExpired(claims),

    record: async (claim, result, now) => {
      const recorded = await record({ ...result, claim }, now);
      const timedOut = result.reason === 'timeout';
      if (recorded && result.attempt && timedOut !== claim.unresponsive) {
        await noteUnresponsive(claim.agentId, timedOut);
      }
      return recorded;
    },

    giveBack: async (claim, at) => {
      const next = { status: 'pending', nextAttemptAt: at } as const;
      await record({ claim, attempt: null, next, reason: null }, at);
    },
  };
}
