import { expect, it } from '@jest/globals';
import { createKeyedLimiter, createSingleFlight } from '@parley/kit/concurrency';
import type { Auth } from '@parley/kit/http';
import { createClock } from '@parley/kit/time';
import { dialingCall, ID, START } from '../../tests/session-parts.ts';
import { type CallRecord, NO_LINKS, toUnstartedRecord } from '../calls/call-record.ts';
import type { Transact } from '../clients/ports.ts';
import type { Tx } from '../prisma.ts';
import { type StopCallDeps, stopCall } from './stop-call.ts';

it('concurrent stops of a call are one request and one wait, so that they hold one connection of the database [trust.1]', async () => {
  let transactions = 0;
  const transact: Transact = async (work) => {
    transactions += 1;
    await new Promise(setImmediate);
    return work({} as Tx);
  };
  let isOver = false;
  let reads = 0;
  const given = { workspaceId: ID, agent: { agentId: ID }, createdAt: START } as Parameters<
    typeof toUnstartedRecord
  >[0];
  const waiting = toUnstartedRecord(given, {} as Parameters<typeof toUnstartedRecord>[1]);
  const record = (): CallRecord => ({ ...waiting, status: isOver ? 'completed' : 'in-progress' });
  const deps = {
    transact,
    clock: createClock({ rate: 1, originMs: 0 }),
    stops: {
      withdraw: async () => {},
      lock: async () => dialingCall,
      request: async () => {
        isOver = true;
      },
      end: async () => {},
    },
    stopping: createSingleFlight(),
    stopWaits: createKeyedLimiter({ concurrency: 1 }),
    history: {
      find: async () => {
        reads += 1;
        return record();
      },
    },
    recordingLinks: { signerFor: () => NO_LINKS },
  } as unknown as StopCallDeps;
  const stops = Array.from({ length: 30 }, () => stopCall(deps, { workspaceId: ID } as Auth, ID));
  expect((await Promise.all(stops)).map(({ status }) => status)).toEqual(Array(30).fill('completed'));
  expect([transactions, reads]).toEqual([1, 2]);
});
