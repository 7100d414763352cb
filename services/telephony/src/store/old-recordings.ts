import type { OldRecordings } from '../domain/recordings/ports.ts';

const HOLD = `
  SELECT id::text AS "callId", recording_key AS key FROM calls
  WHERE recording_key IS NOT NULL AND ended_at < $1::timestamptz
  ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

const FORGET = `
  UPDATE calls SET recording_key = NULL, updated_at = $2::timestamptz WHERE id = ANY ($1::uuid[])`;

export const oldRecordings: OldRecordings = {
  hold: (tx, before, most) => tx.$queryRawUnsafe(HOLD, before.toISOString(), most),
  forget: async (tx, callIds, now) => {
    if (callIds.length > 0) await tx.$executeRawUnsafe(FORGET, [...callIds], now.toISOString());
  },
};
