import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWakeUp } from '@parley/kit/concurrency';
import { createLifecycle } from '@parley/kit/lifecycle';
import { realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { chooseCarriers } from '../src/carriers/registry.ts';
import type { Transact, WorkspaceLimits } from '../src/clients/ports.ts';
import { createDialIntake, createDialQueue } from '../src/dialer/dial-requests.store.ts';
import { startDialer } from '../src/dialer/dialer.ts';
import { createDialStore, type DialStore } from '../src/dialer/dials.store.ts';
import { createUnreachable } from '../src/dialer/unreachable.ts';
import { withdrawDials } from '../src/dialer/withdraw-dials.ts';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import { connectNumber } from './place-call.ts';

const LIMITS: WorkspaceLimits = {
  timeZone: 'UTC',
  currency: 'USD',
  rateCents: 1,
  maxLiveCalls: 10,
  webhookSecrets: [],
  isSuspended: false,
  allowedDestinations: [],
  dailySpendLimitCents: null,
};

/** Pause and cancel withdraw dials while a worker is about to reserve them [campaigns.7]; in real time. */
describe('a withdrawal that meets a reservation', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness({ PROCESSES: 'api' });
  });
  afterAll(() => harness.close());

  /** A worker that pauses in its reservation at the point of the test, and a waiting request of a campaign. */
  async function reserving(stopAt: (store: DialStore, reached: () => Promise<void>) => DialStore) {
    const { prisma, outbox, clock, log } = harness.context;
    const transact: Transact = (work) => outbox.transaction(work);
    const number = await connectNumber(harness);
    const campaign = { campaignId: randomUUID(), contactId: randomUUID(), generation: 1, notAfter: null };
    const callId = randomUUID();
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let goOn = (): void => {};
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const store = stopAt(createDialStore(prisma, chooseCarriers(['simulator'])), async () => {
      arrive();
      await mayGoOn;
    });
    await createDialIntake(prisma)({
      ...{ callId, campaign, workspaceId: number.workspaceId, phoneNumberId: number.id },
      agentId: number.agent.agent_id,
      toNumber: anyNumber(),
      dynamicVariables: {},
      requestedAt: clock.now(),
    });
    const leftAtMs: number[] = [];
    const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
    startDialer({
      ...{ store, transact, clock, log, lifecycle },
      owner: { workerId: randomUUID(), isLive: () => true },
      ...{ liveCalls: () => 0, maxLiveCalls: 10, onWaited: () => {}, onDeparture: () => {} },
      dial: (dials) => {
        for (const { departure } of dials) void departure.leave(() => void leftAtMs.push(performance.now()));
      },
      dialWakeUp: createWakeUp(),
      snapshots: { get: async () => number.agent },
      knownVersions: async () => new Map(),
      archive: { keep: async () => {}, read: async () => null, forgetOld: async () => 0 },
      settings: { get: async () => LIMITS },
      unreachable: createUnreachable(),
    });
    await arrived;
    const withdrawal = withdrawDials(
      { transact, clock, dials: createDialQueue(prisma) },
      { campaignId: campaign.campaignId, belowGeneration: 2, requestId: 'r' },
    ).then(({ withdrawn }) => ({ withdrawn, atMs: performance.now() }));
    const state = async (): Promise<{ state: string; calls: number } | undefined> => {
      const rows = await harness.sql.$queryRaw<
        { state: string; calls: number }[]
      >`SELECT state, (SELECT count(*)::int FROM calls WHERE id = ${callId}::uuid) AS calls
        FROM dial_requests WHERE call_id = ${callId}::uuid`;
      return rows[0];
    };
    return { withdrawal, goOn, leftAtMs, state, stop: () => lifecycle.stop('test') };
  }

  it('that has read the gates lets the dial leave before it answers', async () => {
    const { withdrawal, goOn, leftAtMs, state, stop } = await reserving((store, reached) => ({
      ...store,
      gateFacts: async (tx, requests) => {
        const facts = await store.gateFacts(tx, requests);
        await reached();
        return facts;
      },
    }));
    // It waits for the reservation, which has locked the request.
    expect(await Promise.race([withdrawal, realSleep(300)])).toBeUndefined();
    goOn();
    const { withdrawn, atMs } = await withdrawal;
    expect(withdrawn).toBe(0);
    await realSleep(600);
    // On a busy machine it can miss its slot.
    for (const leftMs of leftAtMs) expect(leftMs).toBeLessThan(atMs);
    expect(await state()).toEqual({ state: 'dialled', calls: 1 });
    await stop();
  });

  it('that has not read the gates yet keeps the dial from leaving', async () => {
    const { withdrawal, goOn, leftAtMs, state, stop } = await reserving((store, reached) => ({
      ...store,
      gateFacts: async (tx, requests) => {
        await reached();
        return store.gateFacts(tx, requests);
      },
    }));
    // The gate is raised immediately, even while the request is locked.
    await realSleep(300);
    goOn();
    await withdrawal;
    await eventually(async () => expect(await state()).toEqual({ state: 'withdrawn', calls: 0 }));
    await realSleep(600);
    expect(leftAtMs).toEqual([]);
    await stop();
  });
});
