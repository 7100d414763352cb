import type { Sql } from '@parley/kit/db';
import type { LegRecord } from './leg-events.ts';
import { LEG_COLUMNS, type LegRow, toLegRecord } from './leg-store.ts';

export type Caller = {
  legId: string;
  reference: string;
  workspaceId: string;
  from: string;
  to: string;
  /** What it says, turn by turn; null: its lines are drawn from its number. */
  script: readonly string[] | null;
  at: Date;
  givesUpAt: Date;
};

const INSERT = `
  INSERT INTO simulated_legs (id, reference, workspace_id, from_number, to_number, ordinal, originated_at, direction,
    gives_up_at, script)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5, 0, $6::timestamptz, 'inbound', $7::timestamptz, $8::json)`;

/** How long a process has for taking a call that it was offered, before others are. */
const OFFER_LASTS = "interval '2 seconds'";

const OFFER = `
  UPDATE simulated_legs SET offered_until = clock_timestamp() + ${OFFER_LASTS}
  WHERE id IN (
    SELECT id FROM simulated_legs
    WHERE direction = 'inbound' AND NOT taken AND (offered_until IS NULL OR offered_until < clock_timestamp())
    ORDER BY originated_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING ${LEG_COLUMNS}`;

/** Those who call in, as the simulated carrier remembers them until somebody has taken their calls. */
export type CallerStore = {
  insert(tx: Sql, caller: Caller): Promise<void>;
  /** Calls that nobody has taken, each for this process alone for a moment. */
  offer(most: number): Promise<LegRecord[]>;
  taken(legId: string): Promise<void>;
};

export function createCallerStore(sql: Sql): CallerStore {
  return {
    insert: async (tx, caller) => {
      const { legId, reference, workspaceId, from, to, at, givesUpAt, script } = caller;
      const times = [at.toISOString(), givesUpAt.toISOString()];
      await tx.$executeRawUnsafe(
        INSERT,
        legId,
        reference,
        workspaceId,
        from,
        to,
        ...times,
        script && JSON.stringify(script),
      );
    },
    offer: async (most) => (await sql.$queryRawUnsafe<LegRow[]>(OFFER, most)).map(toLegRecord),
    taken: async (legId) => {
      await sql.$executeRawUnsafe('UPDATE simulated_legs SET taken = true WHERE id = $1::uuid', legId);
    },
  };
}
