import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { createClock, realSleep } from '@parley/kit/time';
import { type SqlClient, sqlClient, testDatabase } from '@parley/testkit';
import { chooseCarriers } from '../src/carriers/registry.ts';
import type { Transact, WorkspaceLimits } from '../src/clients/ports.ts';
import type { DialRequest } from '../src/dialer/dial-request.ts';
import { createDialQueue } from '../src/dialer/dial-requests.store.ts';
import { TOLERANCE_MS } from '../src/dialer/dialer.ts';
import { createDialStore } from '../src/dialer/dials.store.ts';
import { createPrepareDial } from '../src/dialer/prepare-dial.ts';
import { createUndoDial, type UndoneAs } from '../src/dialer/undo-dials.store.ts';
import { withdrawDials } from '../src/dialer/withdraw-dials.ts';
import type { Call } from '../src/sessions/call.ts';
import { anyNumber, newWorkspace } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';
import { dialingCall, snapshot } from './session-parts.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let sql: SqlClient;

beforeAll(async () => {
  database = await testDatabase('telephony');
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await sql.close();
  await database.drop();
});

const NOW = new Date('2026-01-31T08:00:00.000Z');
const FENCE = 3;

/** A committed call that was not sent to the carrier. It is the trial dial of its number, whose circuit is open. */
async function reservedCall(given: { ofCampaign?: boolean; columns?: Record<string, unknown> } = {}) {
  const { ofCampaign = true, columns = {} } = given;
  const [workspaceId, workerId, phoneNumberId] = [newWorkspace(), randomUUID(), randomUUID()];
  const campaign = ofCampaign ? { campaignId: randomUUID(), contactId: randomUUID() } : null;
  const { id } = await seedCall(sql, workspaceId, {
    ...LIVE,
    status: 'queued',
    phase: 'dialing',
    answered_at: null,
    worker_id: workerId,
    fence: FENCE,
    phone_number_id: phoneNumberId,
    campaign_id: campaign?.campaignId ?? null,
    contact_id: campaign?.contactId ?? null,
    ...columns,
  });
  await sql.$executeRaw`INSERT INTO dial_requests (call_id, workspace_id, phone_number_id, campaign_id, contact_id, generation,
      agent_id, to_number, state, requested_at)
    VALUES (${id}::uuid, ${workspaceId}::uuid, ${phoneNumberId}::uuid, ${campaign?.campaignId ?? null}::uuid,
      ${campaign?.contactId ?? null}::uuid, ${campaign ? 1 : null}::int, ${randomUUID()}::uuid, '+14155550100', 'dialled', ${NOW})`;
  for (const type of ['queued', 'dialing'])
    await sql.$executeRaw`INSERT INTO call_events (call_id, at, type) VALUES (${id}::uuid, ${NOW}, ${type})`;
  await sql.$executeRaw`INSERT INTO phone_numbers (id, workspace_id, phone_number, provider, created_at, updated_at)
    VALUES (${phoneNumberId}::uuid, ${workspaceId}::uuid, ${anyNumber()}, 'hosted_sip', ${NOW}, ${NOW})`;
  await sql.$executeRaw`INSERT INTO number_circuits (phone_number_id, failures, opened_at, openings, probe_at, probe_call_id)
    VALUES (${phoneNumberId}::uuid, 30, ${NOW}, 1, ${new Date(NOW.getTime() + 180_000)}, ${id}::uuid)`;

  const undo = (as: UndoneAs, fence = FENCE, worker = workerId): Promise<boolean> => {
    const transact = ((work: (tx: SqlClient) => unknown) => work(sql)) as unknown as Transact;
    const call: Call = { ...dialingCall, id, workspaceId, campaign, fence };
    return createUndoDial({ transact, workerId: worker, now: () => NOW })(call, as);
  };
  /** The same worker reserves it again. Returns the fence of the call. */
  const reserve = async (): Promise<number> => {
    const { agent_id: agentId } = snapshot;
    const request: DialRequest = {
      ...{ callId: id, workspaceId, phoneNumberId, agentId, requestedAt: NOW, dynamicVariables: {} },
      toNumber: '+14155550100',
      campaign: campaign && { ...campaign, generation: 1, notAfter: null },
    };
    const dial = { request, from: '+14155550101', slot: NOW, intervalMs: 1_000 };
    const known = {
      assistants: new Map([[agentId, snapshot]]),
      limits: new Map<string, WorkspaceLimits>(),
    };
    const store = createDialStore(sql, chooseCarriers(['simulator']));
    const prepared = createPrepareDial(
      known,
      createLogger({ service: 'telephony', level: 'silent' }),
    )(request);
    if (!prepared) throw new Error('the assistant has short texts');
    const [written] = await store.writeDials(sql, workerId, [{ ...dial, ...prepared }], NOW);
    return written?.call.fence ?? Number.NaN;
  };
  /** Its remaining rows. */
  const left = async () => {
    const calls = await sql.$queryRaw<
      Record<string, unknown>[]
    >`SELECT phase, worker_id::text AS worker, started_at AS "startedAt", carrier_state AS leg FROM calls WHERE id = ${id}::uuid`;
    const events = await sql.$queryRaw<
      { type: string }[]
    >`SELECT type FROM call_events WHERE call_id = ${id}::uuid ORDER BY type`;
    const [request] = await sql.$queryRaw<
      Record<string, unknown>[]
    >`SELECT state, reason FROM dial_requests WHERE call_id = ${id}::uuid`;
    const [circuit] = await sql.$queryRaw<
      { probe: string | null; at: Date }[]
    >`SELECT probe_call_id::text AS probe, probe_at AS at FROM number_circuits WHERE phone_number_id = ${phoneNumberId}::uuid`;
    const messages = await sql.$queryRaw<
      { payload: string }[]
    >`SELECT payload FROM outbox WHERE workspace_id = ${workspaceId}::uuid`;
    return {
      call: calls[0],
      events: events.map(({ type }) => type),
      request,
      isProbe: circuit?.probe === id,
      nextProbeMs: circuit?.at.getTime(),
      messages: messages.map(({ payload }) => JSON.parse(payload)),
    };
  };
  return { id, workerId, campaign, undo, reserve, left };
}

describe('a withdrawal that meets a dial which does not leave [campaigns.7]', () => {
  it('withdraws its request, which waits again before the response', async () => {
    const clock = createClock({ rate: 1, originMs: 0 });
    const { id, campaign, undo, left } = await reservedCall({ columns: { started_at: clock.now() } });
    const transact = ((work: (tx: SqlClient) => unknown) => work(sql)) as unknown as Transact;
    const withdrawal = withdrawDials(
      { transact, clock, dials: createDialQueue(sql) },
      { campaignId: campaign?.campaignId ?? '', belowGeneration: 2, requestId: 'r' },
    );
    await realSleep(TOLERANCE_MS / 2);
    expect(await undo('waiting')).toBe(true);
    expect(await withdrawal).toEqual({ withdrawn: 1 });
    const { call, request, messages } = await left();
    expect({ call, request }).toEqual({
      call: undefined,
      request: { state: 'withdrawn', reason: 'withdrawn' },
    });
    expect(messages).toMatchObject([{ type: 'dial.refused', data: { call_id: id, reason: 'withdrawn' } }]);
  });
});

const NOTHING = { call: undefined, events: [], isProbe: false, nextProbeMs: NOW.getTime() };

describe('a dial that did not leave [campaigns.11]', () => {
  it("of a campaign leaves no call, no timeline and no message; its request waits again, and its number's circuit is probed anew", async () => {
    const { undo, left } = await reservedCall();
    expect(await undo('waiting')).toBe(true);
    expect(await left()).toEqual({ ...NOTHING, request: { state: 'waiting', reason: null }, messages: [] });
  });

  it('of a worker that died leaves no call either, and its campaign gets the contact back', async () => {
    const { id, campaign, undo, left } = await reservedCall();
    expect(await undo('withdrawn')).toBe(true);
    const { messages, ...rest } = await left();
    expect(rest).toEqual({ ...NOTHING, request: { state: 'withdrawn', reason: 'withdrawn' } });
    const data = { call_id: id, campaign_id: campaign?.campaignId, contact_id: campaign?.contactId };
    expect(messages).toMatchObject([{ type: 'dial.refused', data: { ...data, reason: 'withdrawn' } }]);
  });

  it('of a single call is queued again, as if it had never been reserved', async () => {
    const columns = { carrier_state: { ofLeg: 'that never left' } };
    const { undo, left } = await reservedCall({ ofCampaign: false, columns });
    expect(await undo('waiting')).toBe(true);
    expect(await left()).toMatchObject({
      call: { phase: 'queued', worker: null, startedAt: null, leg: null },
      events: ['queued'],
      request: { state: 'waiting', reason: null },
      messages: [],
    });
  });

  it('of a suspended workspace is no call of the campaign', async () => {
    const columns = { stop_requested_at: NOW, stop_cause: 'workspace_suspended' };
    const { undo, left } = await reservedCall({ columns });
    expect(await undo('waiting')).toBe(true);
    expect(await left()).toMatchObject({ ...NOTHING, request: { state: 'waiting' } });
  });

  describe.each([true, false])('cannot be undone (of a campaign: %s)', (ofCampaign) => {
    const refuses = async (
      columns: Record<string, unknown>,
      undoes: (call: Awaited<ReturnType<typeof reservedCall>>) => Promise<boolean>,
    ): Promise<void> => {
      const call = await reservedCall({ ofCampaign, columns });
      const before = await call.left();
      expect(await undoes(call)).toBe(false);
      expect(await call.left()).toEqual(before);
      expect(before.request).toMatchObject({ state: 'dialled' });
    };

    it('once another worker holds the call', async () => {
      await refuses({}, ({ undo }) => undo('waiting', FENCE - 1));
      await refuses({}, ({ undo }) => undo('waiting', FENCE, randomUUID()));
    });

    it('by a session of an earlier reservation, whose undo was committed without its knowledge', async () => {
      const { undo, reserve, left } = await reservedCall({ ofCampaign });
      await undo('waiting');
      const first = await reserve();
      expect(await undo('waiting', first)).toBe(true);
      const second = await reserve();
      expect(second).toBeGreaterThan(first);
      expect(await undo('waiting', first)).toBe(false);
      expect(await left()).toMatchObject({ call: { phase: 'dialing' }, request: { state: 'dialled' } });
    });

    it('once a client has stopped the call', () =>
      refuses({ stop_requested_at: NOW, stop_cause: 'stopped' }, ({ undo }) => undo('waiting')));

    it('once it rings', () =>
      refuses({ phase: 'ringing', status: 'ringing' }, ({ undo }) => undo('waiting')));
  });
});
