import type { Sql } from '@parley/kit/db';
import type { TrunkRemovals } from '../domain/numbers/ports.ts';
import type { SipTrunk } from '../domain/ports.ts';

const MOST = 20;

/** A pause of 30 seconds, which doubles up to an hour: whoever claims a row and dies has put it off, no more. */
const CLAIM = `
  UPDATE trunk_removals t SET attempts = attempts + 1,
    due_at = $1::timestamptz + LEAST(3600, 30 * 2 ^ LEAST(attempts, 7)) * interval '1 second'
  WHERE phone_number_id IN (
    SELECT phone_number_id FROM trunk_removals WHERE due_at <= $1::timestamptz
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING phone_number_id::text AS "numberId", phone_number AS "phoneNumber"`;

export function createTrunkRemovals(sql: Sql): TrunkRemovals {
  return {
    add: async (tx, { id, phoneNumber }, now) => {
      await tx.$executeRawUnsafe(
        'INSERT INTO trunk_removals (phone_number_id, phone_number, due_at) VALUES ($1::uuid, $2, $3::timestamptz)',
        id,
        phoneNumber,
        now.toISOString(),
      );
    },
    claim: (now) => sql.$queryRawUnsafe<SipTrunk[]>(CLAIM, now.toISOString(), MOST),
    done: async ({ numberId }) => {
      await sql.$executeRawUnsafe('DELETE FROM trunk_removals WHERE phone_number_id = $1::uuid', numberId);
    },
  };
}
