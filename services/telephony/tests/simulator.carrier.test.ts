import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import { type SqlClient, sqlClient, type TestDatabase, testDatabase } from '@parley/testkit';
import type { Carrier } from '../src/carriers/carrier.ts';
import { createCallerStore } from '../src/carriers/simulator/caller-store.ts';
import { createSimulator } from '../src/carriers/simulator/simulator.ts';
import { type CarrierUnderTest, callControlContract } from './call-control-contract.ts';
import { textMediaContract } from './text-media-contract.ts';

let database: TestDatabase;
let sql: SqlClient;
let carrier: Carrier;
let other: Carrier;
const clock = createClock({ rate: 30, originMs: Date.now() });

beforeAll(async () => {
  database = await testDatabase('telephony');
  sql = sqlClient(database.url);
  const log = createLogger({ service: 'test', level: 'silent' });
  carrier = createSimulator({ sql, clock, log });
  other = createSimulator({ sql, clock, log });
});
afterAll(async () => {
  await sql?.close();
  await database?.drop();
});

const simulator: CarrierUnderTest = {
  carrier: () => carrier,
  other: () => other,
  callIn: async (script, patienceMs = 600_000) => {
    const reference = randomUUID();
    const at = clock.now();
    await createCallerStore(sql).insert(sql, {
      legId: randomUUID(),
      reference,
      workspaceId: randomUUID(),
      from: '+12025550199',
      to: '+12025550100',
      script,
      at,
      givesUpAt: new Date(at.getTime() + patienceMs),
    });
    return reference;
  },
  numbers: {
    from: '+12025550100',
    answers: '+12025554242',
    busy: '+12025550002',
    machine: '+12025550003',
    silent: '+12025550006',
    loses: '+12025550011',
  },
};

callControlContract('simulator', simulator);
textMediaContract('simulator', simulator);
