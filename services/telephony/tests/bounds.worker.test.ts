import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { realSleep } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { callIn, inboundNumber } from './call-in.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import {
  type ConnectedNumber,
  callFrom,
  connectNumber,
  finished,
  holdDials,
  readCall,
  requestDial,
} from './place-call.ts';

// Where a workspace may call, what a day may cost, and suspension [trust.22] [trust.24]: two workers beside each other.

const RATE = 40;
const HOUR_MS = 3_600_000;
const hour = new Date().getUTCHours();
/** Far enough from midnight that no day of stack time ends while the tests run. */
const origin = Date.now() - ((hour >= 20 ? 25 - hour : 0) * HOUR_MS) / (RATE - 1);

let harness: Harness;

beforeAll(async () => {
  const clock = { CLOCK_RATE: String(RATE), CLOCK_ORIGIN_MS: String(Math.round(origin)) };
  harness = await startHarness({ PROCESSES: 'both', ...clock });
  await harness.boot({ PROCESSES: 'worker' });
});
afterAll(() => harness.close());

const setTo = async (workspaceId: string, settings: Parameters<Harness['peers']['setSettings']>[1]) => {
  harness.peers.setSettings(workspaceId, settings);
  // Telephony caches the settings of a workspace for up to a second.
  await realSleep(1_100);
};
const place = (number: ConnectedNumber, to: string) =>
  harness.ask(number.workspaceId, 'POST', '/v2/call', {
    body: { from_number: number.phoneNumber, to_number: to },
  });
const queueDial = async (number: ConnectedNumber, ending = '0002'): Promise<string> => {
  const { call_id } = await requestDial(harness, number, { to_number: anyNumber(ending) });
  await eventually(async () => expect(await stateOf(call_id)).toBeDefined());
  return call_id;
};
const stateOf = async (callId: string): Promise<string | undefined> => {
  const [row] = await harness.sql.$queryRaw<{ state: string }[]>`
    SELECT state FROM dial_requests WHERE call_id = ${callId}::uuid`;
  return row?.state;
};
const conditionsOf = async ({ workspaceId, id }: ConnectedNumber) =>
  (await harness.callAsService(workspaceId, 'GET', `/internal/phone-numbers/${id}/dial-conditions`)).body
    .data;

describe('allowed_destinations [numbers.13]', () => {
  it.concurrent('refuses single calls with a 403 that says why, and returns contacts to their campaign', async () => {
    const number = await connectNumber(harness, { workspaceId: newWorkspace() });
    harness.peers.setSettings(number.workspaceId, { allowed_destinations: ['+49', '+43'] });
    await realSleep(1_100);
    const refused = await place(number, anyNumber('0002'));
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(refused.body.error.message).toMatch(/allowed_destinations \(\+49, \+43\)/);
    expect((await place(number, '+4930120002')).status).toBe(201);
    const id = await queueDial(number);
    await eventually(() => {
      const refusals = harness.bus.received('dial.refused').filter(({ data }) => data.call_id === id);
      expect(refusals.map(({ data }) => data.reason)).toEqual(['destination_not_allowed']);
    });
    expect((await conditionsOf(number)).allowed_destinations).toEqual(['+49', '+43']);
  });
});

describe('daily_spend_limit_cents [trust.23]', () => {
  it.concurrent('admits as many concurrent calls as the limit allows for by their first minutes', async () => {
    const number = await connectNumber(harness, {
      workspaceId: newWorkspace(),
      settings: { ringTimeout: 120 },
    });
    await setTo(number.workspaceId, { daily_spend_limit_cents: 35 });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => place(number, anyNumber('0001'))));
    const refused = answers.filter(({ status }) => status === 403);
    expect([answers.length - refused.length, refused.length]).toEqual([3, 3]);
    expect(refused[0]?.body.error).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('daily_spend_limit_cents (35)'),
    });
  });

  it.concurrent('counts the cost of every ended call once; campaigns wait until the limit allows more', async () => {
    const number = await connectNumber(harness, { workspaceId: newWorkspace() });
    const { workspaceId } = number;
    const first = await callFrom(harness, number, anyNumber());
    const { cost } = await finished(harness, workspaceId, first);
    expect(cost).toBeGreaterThan(0);
    expect(await conditionsOf(number)).toMatchObject({ spend: null, is_suspended: false });
    await setTo(workspaceId, { daily_spend_limit_cents: cost + 9 });
    expect((await place(number, anyNumber())).status).toBe(403);
    expect((await conditionsOf(number)).spend).toEqual({
      limit_cents: cost + 9,
      spent_cents: cost,
      reserved_cents: 0,
      is_exhausted: true,
    });
    const waiting = await queueDial(number);
    await realSleep(1_500);
    expect(await stateOf(waiting)).toBe('waiting');
    await setTo(workspaceId, { daily_spend_limit_cents: cost + 10 });
    await eventually(async () => expect(await stateOf(waiting)).toBe('dialled'));
    const sums = await harness.sql.$queryRaw<
      { cents: number }[]
    >`SELECT cents::int FROM daily_spend WHERE workspace_id = ${workspaceId}::uuid`;
    expect(sums).toEqual([{ cents: cost }]);
  });

  it.concurrent('counts the UTC day: the whole limit is available after midnight', async () => {
    const number = await connectNumber(harness, { workspaceId: newWorkspace() });
    const { workspaceId } = number;
    await setTo(workspaceId, { daily_spend_limit_cents: 50 });
    const first = await callFrom(harness, number, anyNumber());
    await finished(harness, workspaceId, first);
    await harness.sql
      .$executeRaw`UPDATE daily_spend SET cents = 50 WHERE workspace_id = ${workspaceId}::uuid`;
    expect((await place(number, anyNumber('0002'))).status).toBe(403);
    // As after midnight: the current day in stack time is the day after the row's.
    await harness.sql
      .$executeRaw`UPDATE daily_spend SET day = day - 1 WHERE workspace_id = ${workspaceId}::uuid`;
    expect((await conditionsOf(number)).spend).toMatchObject({ spent_cents: 0, is_exhausted: false });
    const second = await callFrom(harness, number, anyNumber());
    const { cost, ended_at } = await finished(harness, workspaceId, second);
    const days = await harness.sql.$queryRaw<
      { day: string; cents: number }[]
    >`SELECT day::text, cents::int FROM daily_spend WHERE workspace_id = ${workspaceId}::uuid ORDER BY day`;
    expect(days).toEqual([
      { day: expect.any(String), cents: 50 },
      { day: ended_at.slice(0, 10), cents: cost },
    ]);
  });
});

describe('suspension', () => {
  it.concurrent('ends live calls within seconds, in every state, and holds the others until the workspace is resumed', async () => {
    const settings = { maxCallDuration: 3600, ringTimeout: 120 };
    const number = await connectNumber(harness, { workspaceId: newWorkspace(), settings });
    const slow = await connectNumber(harness, { workspaceId: number.workspaceId, settings });
    const { workspaceId } = number;
    const release = await holdDials(harness, slow);
    const talking = await callFrom(harness, number, anyNumber('0007'));
    const queued = await callFrom(harness, slow, anyNumber('0007'));
    const waiting = await queueDial(slow);
    await eventually(async () =>
      expect((await readCall(harness, workspaceId, talking)).status).toBe('in-progress'),
    );
    harness.peers.setSettings(workspaceId, { suspended: true });
    const beganMs = performance.now();
    await eventually(async () => {
      for (const id of [talking, queued])
        expect(await readCall(harness, workspaceId, id)).toMatchObject({
          status: 'completed',
          disconnection_reason: 'agent_hangup',
        });
    });
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    await realSleep(1_100);
    const refused = await place(number, anyNumber());
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('suspended')]);
    await release();
    expect(await conditionsOf(slow)).toMatchObject({ is_suspended: true });
    await realSleep(1_000);
    expect(await stateOf(waiting)).toBe('waiting');
    harness.peers.setSettings(workspaceId, {});
    await eventually(async () => expect(await stateOf(waiting)).toBe('dialled'));
  });

  it.concurrent('uses no attempt of a contact whose phone is ringing [campaigns.20]', async () => {
    const number = await connectNumber(harness, { settings: { ringTimeout: 120 } });
    const ringing = await queueDial(number, '0001');
    await eventually(async () =>
      expect((await readCall(harness, number.workspaceId, ringing)).status).toBe('ringing'),
    );
    harness.peers.setSettings(number.workspaceId, { suspended: true });
    const call = await finished(harness, number.workspaceId, ringing);
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', answered_at: null });
    const [ended] = harness.bus.received('call.ended').filter(({ data }) => data.call_id === ringing);
    expect(ended?.data).toMatchObject({ withdrawn: true });
  });

  it.concurrent('rejects inbound calls', async () => {
    const number = await inboundNumber(harness);
    harness.peers.setSettings(number.workspaceId, { suspended: true });
    await realSleep(1_100);
    const id = await callIn(harness, number, {});
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({ status: 'completed', disconnection_reason: 'call_rejected' });
  });
});
