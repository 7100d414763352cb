import { afterEach, describe, expect, it } from '@jest/globals';
import { createWakeUp } from '@parley/kit/concurrency';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { type Clock, createClock, realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { dialingCall, snapshot } from '../../tests/session-parts.ts';
import type { Transact } from '../clients/ports.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import { type DialerDeps, type DueDial, departureOf, startDialer } from './dialer.ts';
import type { DialStore } from './dials.store.ts';
import { createUnreachable } from './unreachable.ts';

const log = createLogger({ service: 'telephony', level: 'silent' });
const clock = createClock({ rate: 1, originMs: 0 });
let lifecycle: Lifecycle | undefined;
afterEach(() => lifecycle?.stop('the test is over'));

/** For the statements beside the queue's, which change and find nothing. */
const TX = { $executeRaw: async () => 0, $queryRaw: async () => [] };

/** A queue in memory; assistant `a` exists, `deleted` does not, and requests for others wait, because they cannot be loaded. */
function dialing(
  numbers: Record<string, DialRequest[]>,
  given: Partial<DialerDeps> = {},
  firstSlotInMs = -1_000,
) {
  const clocks = new Map(Object.keys(numbers).map((id) => [id, Date.now() + firstSlotInMs]));
  const paceOf = (phoneNumberId: string): NumberPace => ({
    phoneNumberId,
    workspaceId: 'w',
    phoneNumber: '+14155550100',
    isActive: true,
    maxCps: 10,
    nextSlotMs: clocks.get(phoneNumberId) ?? 0,
    probeAt: null,
  });
  /** How many requests each transaction locked. */
  const transactions: string[][] = [];
  const dialed: DueDial[] = [];
  /** How far ahead slots were reserved. */
  const aheadMs: number[] = [];
  const tried = new Set<string>();
  const store: DialStore = {
    awaitedNumbers: async () =>
      Object.entries(numbers).flatMap(([id, requests]) =>
        requests.length > 0 ? [{ phoneNumberId: id, pace: paceOf(id) }] : [],
      ),
    oldestRequests: async (wanted) =>
      wanted.flatMap(({ phoneNumberId, maxSingleCalls }) =>
        (numbers[phoneNumberId] ?? []).slice(0, maxSingleCalls),
      ),
    lockClocks: async (_, ids) => {
      aheadMs.push(...ids.map((id) => (clocks.get(id) ?? 0) - Date.now()));
      return ids.map(paceOf);
    },
    lockRequests: async (_, requests) => {
      transactions.push(requests.map(({ callId }) => callId));
      for (const { phoneNumberId } of requests) tried.add(phoneNumberId);
      return [...requests];
    },
    gateFacts: async () => ({ generations: new Map(), onDoNotCallList: new Set(), deletedAgents: new Set() }),
    advanceClocks: async (_, next) => {
      for (const [id, ms] of next) clocks.set(id, ms);
    },
    writeDials: async (_, __, dials) =>
      dials.map((dial) => {
        const { phoneNumberId, callId } = dial.request;
        numbers[phoneNumberId] = (numbers[phoneNumberId] ?? []).filter((it) => it.callId !== callId);
        return { ...dial, call: { ...dialingCall, id: callId }, assistant: {} as DueDial['assistant'] };
      }),
  };
  lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  startDialer({
    store,
    transact: ((work: (tx: typeof TX) => unknown) => work(TX)) as unknown as Transact,
    clock,
    log,
    lifecycle,
    owner: { workerId: 'w', isLive: () => true },
    liveCalls: () => dialed.length,
    maxLiveCalls: 1_000,
    dial: (dials) => void dialed.push(...dials),
    onWaited: () => {},
    onDeparture: () => {},
    dialWakeUp: createWakeUp(),
    snapshots: {
      get: async (_, agentId) => {
        if (agentId === 'deleted') return null;
        return agentId === 'a' ? snapshot : Promise.reject(new Error('unavailable'));
      },
    },
    knownVersions: async () => new Map(),
    archive: { keep: async () => {}, read: async () => null, forgetOld: async () => 0 },
    settings: { get: async () => null },
    unreachable: { ...createUnreachable(), current: () => [] },
    ...given,
  });
  return { transactions, dialed, tried, aheadMs };
}

const request = (phoneNumberId: string, callId: string, agentId = 'a'): DialRequest => ({
  callId,
  workspaceId: 'w',
  phoneNumberId,
  agentId,
  toNumber: '+14155551234',
  dynamicVariables: {},
  requestedAt: new Date(),
  campaign: null,
});

describe('rounds of the dialer [campaigns.10]', () => {
  it('a worker reserves slots a little ahead, and none that has gone by', async () => {
    const requests = Array.from({ length: 12 }, (_, i) => request('n', `c${i}`));
    const began = Date.now();
    const { transactions, dialed } = dialing({ n: requests });
    await eventually(() => expect(dialed).toHaveLength(12));
    expect(Date.now() - began).toBeGreaterThan(300);
    for (const ids of transactions) expect(ids.length).toBeLessThanOrEqual(8);
  });

  it('numbers whose requests wait do not make the rounds of others long', async () => {
    const waiting = Array.from({ length: 300 }, (_, n) => `waiting ${n}`);
    const numbers = Object.fromEntries(
      waiting.map((id) => [id, [1, 2, 3].map((i) => request(id, `${id} ${i}`, 'broken'))]),
    );
    const { transactions, dialed, tried } = dialing({ ...numbers, n: [request('n', 'first')] });
    await eventually(() => expect(dialed).toHaveLength(1));
    // All were tried once, and from here on a few in each round: fifty, with one request each.
    const before = transactions.length;
    tried.clear();
    await eventually(() => expect(tried.size).toBe(waiting.length));
    const later = transactions.slice(before);
    expect(later.length).toBeGreaterThanOrEqual(waiting.length / 50);
    for (const ids of later) expect(ids.length).toBeLessThanOrEqual(50);
  });

  it('refused requests, of which a workspace has many and older ones, do not delay those of others [trust.1]', async () => {
    const refused = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`refused ${n}`, [request(`refused ${n}`, `c${n}`, 'deleted')]]),
    );
    const { transactions, dialed } = dialing({
      ...refused,
      n: [{ ...request('n', 'first'), workspaceId: 'v' }],
    });
    await eventually(() => expect(dialed).toHaveLength(1));
    expect(transactions[0]).toContain('first');
  });

  it('a busy worker leaves slots to others for longer, however often it polls', async () => {
    const { dialed, aheadMs } = dialing({ n: [request('n', 'c')] }, { liveCalls: () => 999 }, 1_000);
    await eventually(() => expect(dialed).toHaveLength(1));
    // A free one reserves 187 to 250 ms ahead.
    expect(aheadMs).toHaveLength(1);
    expect(aheadMs[0]).toBeLessThan(189);
  });

  it('a number whose requests only waited for free capacity gets all its slots in the next round', async () => {
    let dials = 0;
    const onWaited = (): void => {
      dials += 1;
    };
    const { transactions, dialed } = dialing(
      { m: [request('m', 'first')], n: [1, 2, 3].map((i) => request('n', `later ${i}`)) },
      // Room for one call, and for more after it.
      { maxLiveCalls: 10, liveCalls: () => (dials === 0 ? 9 : 1), onWaited },
    );
    await eventually(() => expect(dialed).toHaveLength(4));
    expect(transactions[1]?.length).toBe(3);
  });

  it('a worker without capacity reserves nothing', async () => {
    let live = 1;
    const { transactions, dialed } = dialing(
      { n: [request('n', 'c')] },
      { maxLiveCalls: 1, liveCalls: () => live },
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(transactions).toEqual([]);
    live = 0;
    await eventually(() => expect(dialed).toHaveLength(1));
  });

  it('a worker whose lease has expired reserves nothing: others take its calls over at once', async () => {
    let isLive = false;
    const { transactions, dialed } = dialing(
      { n: [request('n', 'c')] },
      { owner: { workerId: 'w', isLive: () => isLive } },
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(transactions).toEqual([]);
    isLive = true;
    await eventually(() => expect(dialed).toHaveLength(1));
  });
});

describe('a departure [campaigns.10]', () => {
  /** A departure whose slot begins 30 ms after it was reserved, and whose clock is set by `setByMs` in between. */
  async function leaves(setByMs: number) {
    let setMs = 0;
    const sleptMs: number[] = [];
    const clock: Clock = {
      ...createClock({ rate: 1, originMs: 0 }),
      now: () => new Date(Date.now() + setMs),
      sleep: async (ms) => {
        sleptMs.push(ms);
        await realSleep(Math.min(ms, 100));
      },
    };
    const owner = { workerId: 'w', isLive: () => true };
    const slot = new Date(clock.now().getTime() + 30);
    const beganMs = performance.now();
    const departure = departureOf({ clock, owner, onDeparture: () => {} }, { slot, intervalMs: 1_000 });
    setMs = setByMs;
    const left = await departure.leave(() => performance.now() - beganMs);
    return { left, longestMs: Math.max(0, ...sleptMs) };
  }

  it('waits for its slot', async () => {
    expect((await leaves(0)).left).toBeGreaterThanOrEqual(29);
  });

  it('is not held back by a clock that is set back meanwhile', async () => {
    const { left, longestMs } = await leaves(-2_000);
    expect(left).toBeGreaterThanOrEqual(29);
    expect(longestMs).toBeLessThan(100);
  });

  it('is counted once it has left or is too late, and not if the call was stopped', async () => {
    const counted: boolean[] = [];
    const owner = { workerId: 'w', isLive: () => true };
    const depart = async (slotInMs: number, what: string | undefined): Promise<string | undefined> => {
      const slot = new Date(clock.now().getTime() + slotInMs);
      const onDeparture = (_: number, hasLeft: boolean): void => void counted.push(hasLeft);
      return departureOf({ clock, owner, onDeparture }, { slot, intervalMs: 1_000 }).leave(() => what);
    };
    expect(await depart(0, 'left')).toBe('left');
    expect(await depart(-5_000, 'late')).toBeUndefined();
    expect(await depart(0, undefined)).toBeUndefined();
    expect(counted).toEqual([true, false]);
  });

  it('is too late after the machine has slept', async () => {
    expect((await leaves(2_000)).left).toBeUndefined();
  });
});
