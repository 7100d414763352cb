import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { isOpen } from '../src/campaigns/hours.ts';
import { ianaNames } from './zones/iana-names.ts';
import { shiftsOf } from './zones/zone-shifts.ts';

/*
 * Temporal and hours.ts both take the rules of the zones from the engine's ICU. Postgres has rules of its own, read by
 * code of its own. Governments change rules, so the two may be of different years: where a handful of zones differ, that
 * is why; more would be a mistake of ours.
 */

const MAX_CHANGED = 12;

let database: Awaited<ReturnType<typeof testDatabase>>;
let sql: SqlClient;
beforeAll(async () => {
  database = await testDatabase('campaigns');
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});

type Read = { tz: string; ms: number; day: number; minute: number };

describe('business_hours.tz: an IANA timezone', () => {
  it('means the same in Postgres, on both sides of every change', async () => {
    const asked = ianaNames().flatMap((tz) =>
      [Date.UTC(2026, 0), Date.UTC(2026, 6), ...shiftsOf(tz).flatMap(({ at }) => [at - 1, at])].map((ms) => ({
        tz,
        ms,
      })),
    );
    const read = await sql.$queryRaw<Read[]>`SELECT tz, ms, extract(isodow FROM local)::int AS day,
         (extract(hour FROM local) * 60 + extract(minute FROM local))::int AS minute
       FROM json_to_recordset(${JSON.stringify(asked)}::json) AS asked (tz text, ms float8)
       JOIN pg_timezone_names ON name = tz, LATERAL (SELECT to_timestamp(ms / 1000) AT TIME ZONE tz AS local) AS l`;
    expect(read.length).toBeGreaterThan(asked.length * 0.9);
    const differs = read.filter(
      ({ tz, ms, day, minute }) =>
        !isOpen({ tz, days: [day], windows: [{ start: minute, end: minute + 1 }] }, new Date(ms)),
    );
    expect(new Set(differs.map(({ tz }) => tz)).size).toBeLessThanOrEqual(MAX_CHANGED);
  }, 60_000);
});
