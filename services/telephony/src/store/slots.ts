import type { Sql } from '@parley/kit/db';
import type { Slot, Slots } from '../domain/dialing/departures.ts';

/** Where nobody has been granted a slot behind the missed one, the number's clock goes on from now; else behind the last. */
const TAKE = `
  UPDATE number_clocks k
  SET next_dial_at = CASE WHEN k.next_dial_at <= $2::timestamptz THEN $3::timestamptz
    ELSE greatest(k.next_dial_at, $3::timestamptz) END + interval '1 second' / n.max_cps + $4 * interval '1 millisecond'
  FROM phone_numbers n WHERE n.id = k.phone_number_id AND k.phone_number_id = $1::uuid
  RETURNING k.next_dial_at - interval '1 second' / n.max_cps - $4 * interval '1 millisecond' AS at`;

const GIVE_BACK = `
  UPDATE number_clocks SET next_dial_at = next_dial_at - $3 * interval '1 millisecond'
  WHERE phone_number_id = $1::uuid AND next_dial_at <= $2::timestamptz`;

/** A clock goes in microseconds, and its slots are whole milliseconds. */
const ROUNDING_MS = 1;

export function createSlots(sql: Sql): Slots {
  const take: Slots['take'] = async (phoneNumberId, { missed, notBefore, slackMs }) => {
    const rows = await sql.$queryRawUnsafe<{ at: Date }[]>(
      TAKE,
      phoneNumberId,
      endOf(missed).toISOString(),
      notBefore.toISOString(),
      slackMs,
    );
    return rows[0]?.at;
  };
  const giveBack: Slots['giveBack'] = async (phoneNumberId, slot, leftAt, slackMs) => {
    const unusedMs = slackMs - Math.max(0, leftAt.getTime() - slot.at.getTime());
    if (unusedMs <= 0) return;
    await sql.$executeRawUnsafe(GIVE_BACK, phoneNumberId, endOf(slot).toISOString(), unusedMs);
  };
  return { take, giveBack };
}

/** Where the number's clock stands if nobody has been granted a slot behind this one. */
function endOf({ at, intervalMs }: Slot): Date {
  return new Date(at.getTime() + Math.ceil(intervalMs) + ROUNDING_MS);
}
