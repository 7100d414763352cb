import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { type Clock, createClock } from '@parley/kit/time';
import { type SqlClient, sqlClient, type TestDatabase, testDatabase } from '@parley/testkit';
import type { Carrier } from '../src/carriers/carrier.ts';
import { createCallerStore } from '../src/carriers/simulator/caller-store.ts';
import { createSimulator } from '../src/carriers/simulator/simulator.ts';
import { createSpokenLines } from '../src/carriers/simulator/spoken/spoken-lines.ts';
import { carrierContract } from './contracts/carrier-contract.ts';
import {
  type Callee,
  type Callees,
  type Callers,
  type CarrierUnderTest,
  NOTHING,
} from './contracts/carrier-under-test.ts';

/** Platform time. */
const PATIENCE_MS = 600_000;
/** Longer than the workers wait between two looks at the callers. */
const RINGS_REAL_MS = 1_500;
const log = createLogger({ service: 'test', level: 'silent' });

let database: TestDatabase;
let sql: SqlClient;
beforeAll(async () => {
  database = await testDatabase('telephony');
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await sql?.close();
  await database?.drop();
});

/** The last four digits of a number choose what happens [running.2]. */
const callee =
  (ending: string, destination = '') =>
  async (): Promise<Callee> => ({
    to: `+1202555${ending}`,
    from: '+12025550100',
    destination: `+1202555${destination}`,
  });

function simulator(create: () => Carrier, clock: Clock, more: Partial<Callees> = {}): CarrierUnderTest {
  let carriers: [Carrier, Carrier];
  beforeAll(() => {
    carriers = [create(), create()];
  });
  const calls =
    (script: readonly string[], patienceMs = PATIENCE_MS): Callers['waits'] =>
    async (from) => {
      const at = clock.now();
      await createCallerStore(sql).insert(sql, {
        ...{ legId: randomUUID(), reference: randomUUID(), workspaceId: randomUUID() },
        ...{ from, to: '+12025550100', script, at },
        givesUpAt: new Date(at.getTime() + patienceMs),
      });
      return {};
    };
  // A caller with something to say waits for an answer to it, and doesn't hang up by itself.
  const waits = calls(['Hello?']);
  const answers = callee('0006');
  const talks = callee('4242');
  return {
    carrier: () => carriers[0],
    other: () => carriers[1],
    capabilities: { transfer: true, takeover: 'reattach', media: 'text' },
    pressesKeys: true,
    offers: 'to any process',
    endOfGoneLeg: 'local',
    soFar: async () => NOTHING,
    callees: {
      ...{ answers, moves: answers, isLeft: answers, talks, talksAndMoves: talks },
      isBusy: callee('0002'),
      rings: callee('0001'),
      hangsUp: callee('0008'),
      isTransferred: callee('0006', '4242'),
      isNotTransferred: callee('0006', '0002'),
      losesResponse: callee('0011'),
      ...more,
    },
    callers: {
      ...{ waits, moves: waits, isLeft: waits, isDeclined: waits },
      givesUp: calls(['Hello?'], RINGS_REAL_MS * clock.rate),
      givesUpUntaken: calls(['Hello?'], 1_000),
      hangsUp: calls([]),
      talks: calls(['Hello?', 'Bye.']),
    },
  };
}

const fast = createClock({ rate: 30, originMs: Date.now() });
carrierContract(
  'simulator',
  simulator(() => createSimulator({ sql, clock: fast, log }), fast, { isMachine: callee('0003') }),
);

/** Audio is in real time; people take their time by this clock. */
const unhurried = createClock({ rate: 10, originMs: Date.now() });
const openSpokenLine = createSpokenLines({
  isWideband: true,
  hasTones: true,
  clock: unhurried,
  log,
  saveState: async () => {},
});
carrierContract('simulator with audio', {
  ...simulator(() => createSimulator({ sql, clock: unhurried, log, openSpokenLine }), unhurried),
  capabilities: { transfer: true, takeover: 'reattach', media: 'audio' },
});
