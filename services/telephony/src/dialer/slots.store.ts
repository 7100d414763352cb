import type { Sql } from '@parley/kit/db';
import type { TakeSlot } from './departures.ts';
import type { Slot } from './lanes.ts';
import { nextDialOf, othersDialOf } from './pace-rows.store.ts';

/**
 * Where nobody has been granted a slot behind the missed one, the number's clock goes on from now; else behind the last. The
 * worker becomes the number's holder.
 */
const TAKE = `
  WITH held AS (
    SELECT k.phone_number_id AS id, interval '1 second' / n.max_cps AS apart,
      CASE WHEN k.next_dial_at <= $2::timestamptz THEN $3::timestamptz
        ELSE greatest(${nextDialOf('$5::uuid')}, $3::timestamptz) END AS at,
      ${othersDialOf('$5::uuid')} AS others_at
    FROM number_clocks k JOIN phone_numbers n ON n.id = k.phone_number_id
    WHERE k.phone_number_id = $1::uuid FOR UPDATE OF k
  )
  UPDATE number_clocks k SET next_dial_at = held.at + held.apart, holder_id = $5::uuid,
    others_dial_at = greatest(held.others_at, held.at + held.apart + $4 * interval '1 millisecond')
  FROM held WHERE k.phone_number_id = held.id
  RETURNING held.at`;

/** A clock goes in microseconds, and its slots are whole milliseconds. */
const ROUNDING_MS = 1;

export function createTakeSlot(sql: Sql, workerId: string): TakeSlot {
  return async (phoneNumberId, { missed, notBefore, patienceMs }) => {
    const rows = await sql.$queryRawUnsafe<{ at: Date }[]>(
      TAKE,
      phoneNumberId,
      endOf(missed).toISOString(),
      notBefore.toISOString(),
      patienceMs,
      workerId,
    );
    return rows[0]?.at;
  };
}

/** Where the number's clock stands if nobody has been granted a slot behind this one. */
function endOf({ at, intervalMs }: Slot): Date {
  return new Date(at.getTime() + Math.ceil(intervalMs) + ROUNDING_MS);
}
