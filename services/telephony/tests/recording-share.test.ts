import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createStoredBytes } from '@parley/kit/usage';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { STORED_RECORDINGS } from '../src/after-call/recordings/recording-share.ts';
import { seedCall } from './seed-call.ts';

const SECONDS = 600;
const WIDEBAND_BYTES = 44 + SECONDS * 16_000 * 4;

let database: Awaited<ReturnType<typeof testDatabase>>;
let sql: SqlClient;
beforeAll(async () => {
  database = await testDatabase('telephony');
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await sql?.close();
  await database?.drop();
});

it('recordings count with their own size, also those of wideband lines; without a note of it, by their duration [trust.28] [trust.6]', async () => {
  const [wideband, former, unrecorded] = [randomUUID(), randomUUID(), randomUUID()];
  const recorded = { recording_key: 'recording.wav', duration: SECONDS };
  const call = await seedCall(sql, wideband, recorded);
  await sql.$executeRaw`INSERT INTO call_events (call_id, at, type, detail)
    VALUES (${call.id}::uuid, ${call.created_at}, 'recording_stored', ${JSON.stringify({ bytes: WIDEBAND_BYTES })}::json)`;
  await seedCall(sql, former, recorded);
  await seedCall(sql, former, { ...recorded, call_type: 'web' });
  await seedCall(sql, unrecorded, { duration: SECONDS });
  const { workspaces } = await createStoredBytes(sql, [STORED_RECORDINGS])();
  expect(Object.fromEntries(workspaces.map(({ workspace_id, bytes }) => [workspace_id, bytes]))).toEqual({
    [wideband]: WIDEBAND_BYTES,
    [former]: SECONDS * (32_000 + 96_000),
    [unrecorded]: 0,
  });
});
