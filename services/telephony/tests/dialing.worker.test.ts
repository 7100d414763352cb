import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { TOLERANCE_MS } from '../src/dialer/dialer.ts';
import { anyNumber, type Harness, startHarness } from './harness.ts';
import {
  type ConnectedNumber,
  callFrom,
  connectNumber,
  dialRequest,
  FAST,
  finished,
  holdDials,
  publishedEventsOf,
  readCall,
} from './place-call.ts';

describe('dialling', () => {
  let harness: Harness;
  let second: { stop(): Promise<void> };

  beforeAll(async () => {
    harness = await startHarness(FAST);
    second = await harness.boot({ PROCESSES: 'worker' });
  });
  afterAll(async () => {
    await second.stop();
    await harness.close();
  });

  const campaignId = randomUUID();
  const request = (number: ConnectedNumber, given: Record<string, unknown> = {}) =>
    dialRequest(number, { campaign_id: campaignId, ...given });

  const refusal = (callId: string) =>
    eventually(() => {
      const [refused] = harness.bus.received('dial.refused').filter(({ data }) => data.call_id === callId);
      if (!refused) throw new Error('not refused');
      return refused.data.reason;
    });

  const dialedMs = async (ids: string[]): Promise<number[]> => {
    const rows = await harness.sql.$queryRaw<
      { at: Date }[]
    >`SELECT originated_at AS at FROM simulated_legs WHERE reference = ANY (${ids}::uuid[]) ORDER BY originated_at`;
    return rows.map(({ at }) => at.getTime());
  };

  it.concurrent('never dials a number faster than max_cps, across workers, campaigns and single calls [campaigns.10]', async () => {
    const number = await connectNumber(harness);
    // Slower than the API allows, so that the 1.25 seconds between two dials are measurable on a busy machine, too.
    await harness.sql.$executeRaw`UPDATE phone_numbers SET max_cps = 0.02 WHERE id = ${number.id}::uuid`;
    const single = await Promise.all([1, 2, 3, 4].map(() => callFrom(harness, number, anyNumber('0002'))));
    const ofCampaign = [1, 2, 3, 4].map(() => request(number));
    for (const data of ofCampaign) await harness.bus.publish('dial.requested', number.workspaceId, data);
    const ids = [...single, ...ofCampaign.map(({ call_id }) => call_id)];
    await Promise.all(ids.map((id) => finished(harness, number.workspaceId, id)));
    const times = await dialedMs(ids);
    expect(times).toHaveLength(8);
    for (let i = 1; i < times.length; i += 1) {
      expect((times[i] ?? 0) - (times[i - 1] ?? 0)).toBeGreaterThanOrEqual(
        50_000 - TOLERANCE_MS * harness.context.clock.rate,
      );
    }
  });

  it.concurrent('dials an attempt once, however often it is requested, and informs the campaign', async () => {
    const number = await connectNumber(harness);
    const data = request(number, {
      to_number: anyNumber('4242'),
      dynamic_variables: { contact_name: 'Ada' },
    });
    const messageId = randomUUID();
    for (const id of [messageId, messageId, randomUUID()]) {
      await harness.bus.publish('dial.requested', number.workspaceId, data, { id });
    }
    const call = await finished(harness, number.workspaceId, data.call_id);
    expect(call).toMatchObject({ campaign_id: campaignId, dynamic_variables: { contact_name: 'Ada' } });
    // Announced again if the dial missed its slot on a busy machine and took another one.
    expect([...new Set(publishedEventsOf(harness, data.call_id))]).toEqual([
      'call.dialing',
      'call.started',
      'call.ended',
      'call.analyzed',
    ]);
    const [ended] = harness.bus
      .received('call.ended')
      .filter((message) => message.data.call_id === data.call_id);
    expect(ended?.data.campaign).toEqual({ campaign_id: campaignId, contact_id: data.contact_id });
    expect(
      await harness.sql.$queryRaw<
        unknown[]
      >`SELECT 1 FROM simulated_legs WHERE reference = ${data.call_id}::uuid`,
    ).toHaveLength(1);
  });

  it.concurrent('does not count a waiting attempt of a campaign as a call', async () => {
    const number = await connectNumber(harness);
    const letDial = await holdDials(harness, number);
    const attempts = [request(number), request(number), request(number)];
    for (const data of attempts) await harness.bus.publish('dial.requested', number.workspaceId, data);
    const ids = attempts.map(({ call_id }) => call_id);
    await eventually(async () => {
      const waiting = await harness.sql.$queryRaw<
        { isCall: boolean }[]
      >`SELECT c.id IS NOT NULL AS "isCall" FROM dial_requests r LEFT JOIN calls c ON c.id = r.call_id
         WHERE r.call_id = ANY (${ids}::uuid[]) AND r.state = 'waiting'`;
      expect(waiting).toEqual(ids.map(() => ({ isCall: false })));
    });
    await letDial();
    await Promise.all(ids.map((id) => finished(harness, number.workspaceId, id)));
  });

  it.concurrent('lets campaigns wait while the workspace is at its concurrency limit [general.19]', async () => {
    const number = await connectNumber(harness);
    harness.peers.setSettings(number.workspaceId, { max_live_calls: 2 });
    const attempts = Array.from({ length: 6 }, () => request(number, { to_number: anyNumber('4242') }));
    for (const data of attempts) await harness.bus.publish('dial.requested', number.workspaceId, data);
    await Promise.all(attempts.map(({ call_id }) => finished(harness, number.workspaceId, call_id)));
    // How many calls were live at the beginning of each.
    const rows = await harness.sql.$queryRaw<
      { live: number }[]
    >`SELECT (SELECT count(*)::int FROM calls o WHERE o.workspace_id = c.workspace_id
         AND o.started_at <= c.started_at AND o.ended_at > c.started_at) AS live
       FROM calls c WHERE c.workspace_id = ${number.workspaceId}::uuid`;
    expect(rows).toHaveLength(6);
    expect(Math.max(...rows.map(({ live }) => live))).toBe(2);
  });

  it('lets no workspace starve another, however many of its attempts wait', async () => {
    const full = await Promise.all([1, 2, 3, 4, 5].map(() => connectNumber(harness)));
    for (const { workspaceId } of full) harness.peers.setSettings(workspaceId, { max_live_calls: 0 });
    await Promise.all(
      full.flatMap((number) =>
        Array.from({ length: 50 }, () =>
          harness.bus.publish('dial.requested', number.workspaceId, request(number)),
        ),
      ),
    );
    const ids = full.map(({ id }) => id);
    await eventually(async () => {
      const waiting = await harness.sql.$queryRaw<unknown[]>`
        SELECT 1 FROM dial_requests WHERE phone_number_id = ANY (${ids}::uuid[])`;
      expect(waiting).toHaveLength(250);
    });
    const other = await connectNumber(harness);
    await finished(harness, other.workspaceId, await callFrom(harness, other, anyNumber('0002')));
    await harness.sql.$executeRaw`DELETE FROM dial_requests WHERE phone_number_id = ANY (${ids}::uuid[])`;
  });

  it.concurrent('refuses attempts that were withdrawn before they arrived [campaigns.7]', async () => {
    const number = await connectNumber(harness);
    const own = randomUUID();
    const body = { campaign_id: own, below_generation: 2 };
    const answer = await harness.callAsService(number.workspaceId, 'POST', '/internal/dials/withdraw', body);
    expect(answer.status).toBe(200);
    const late = request(number, { campaign_id: own });
    await harness.bus.publish('dial.requested', number.workspaceId, late);
    expect(await refusal(late.call_id)).toBe('withdrawn');
    const newer = request(number, { campaign_id: own, generation: 2 });
    await harness.bus.publish('dial.requested', number.workspaceId, newer);
    await finished(harness, number.workspaceId, newer.call_id);
  });

  it.concurrent('waits for an inactive number, and refuses a deleted one', async () => {
    const number = await connectNumber(harness);
    const path = `/internal/phone-numbers/${number.id}/activation`;
    await harness.callAsService(number.workspaceId, 'PUT', path, { is_active: false });
    const off = request(number);
    await harness.bus.publish('dial.requested', number.workspaceId, off);
    const gone = request(number, { phone_number_id: randomUUID() });
    await harness.bus.publish('dial.requested', number.workspaceId, gone);
    expect(await refusal(gone.call_id)).toBe('number_unavailable');
    expect(await readCall(harness, number.workspaceId, gone.call_id)).toBeUndefined();
    expect(await readCall(harness, number.workspaceId, off.call_id)).toBeUndefined();
    await harness.callAsService(number.workspaceId, 'PUT', path, { is_active: true });
    await finished(harness, number.workspaceId, off.call_id);
  });

  it.concurrent('ends a single call as dial_failed when its number is deactivated while it waits [calls.1]', async () => {
    const number = await connectNumber(harness);
    await holdDials(harness, number);
    const id = await callFrom(harness, number, anyNumber('4242'));
    const path = `/internal/phone-numbers/${number.id}/activation`;
    await harness.callAsService(number.workspaceId, 'PUT', path, { is_active: false });
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({
      disconnection_reason: 'dial_failed',
      duration: 0,
      cost: 0,
      answered_at: null,
    });
    expect(publishedEventsOf(harness, id)).toEqual(['call.ended', 'call.analyzed']);
  });

  it.concurrent('follows assistants: copies names by version, removes a deleted one from its numbers and does not dial for it', async () => {
    const number = await connectNumber(harness);
    const { agent_id } = number.agent;
    const id = await callFrom(harness, number, anyNumber('0002'));
    await finished(harness, number.workspaceId, id);
    const update = (agent_name: string, version: number) =>
      harness.bus.publish('assistant.updated', number.workspaceId, {
        agent_id,
        agent_name,
        version,
        webhook_url: null,
      });
    await update('Grace', 5);
    await update('Old', 4);
    await eventually(async () =>
      expect((await readCall(harness, number.workspaceId, id)).agent_name).toBe('Grace'),
    );
    await harness.bus.publish('assistant.deleted', number.workspaceId, { agent_id, version: 6 });
    await update('Zombie', 7);
    await eventually(async () =>
      expect((await readCall(harness, number.workspaceId, id)).agent_name).toBeNull(),
    );
    const data = (await harness.ask(number.workspaceId, 'GET', `/v1/phone-number/${number.id}`)).body.data;
    expect(data.outbound_agent_id).toBeNull();
    const late = request(number);
    await harness.bus.publish('dial.requested', number.workspaceId, late);
    expect(await refusal(late.call_id)).toBe('agent_unavailable');
  });

  it.concurrent('fills placeholders and lists unknown ones [campaigns.4]', async () => {
    const number = await connectNumber(harness);
    number.agent.config = { ...number.agent.config, firstMessage: 'Hello {{contact_name}} of {{company}}!' };
    const id = await callFrom(harness, number, anyNumber('4242'), {
      dynamic_variables: { contact_name: 'Ada' },
    });
    const call = await finished(harness, number.workspaceId, id);
    expect(call.transcript).toContain('Agent: Hello Ada of !');
    expect(call.unresolved_placeholders).toEqual(['company']);
  });

  it('an unreachable assistant delays no other call of the number, and its own calls for up to five minutes', async () => {
    const number = await connectNumber(harness, { maxCps: 1 });
    const broken = harness.peers.addAgent(number.workspaceId);
    harness.peers.breakSnapshot(broken.agent_id);
    const agent = { agent_id: broken.agent_id };
    const stuck = await Promise.all([1, 2, 3].map(() => callFrom(harness, number, anyNumber('4242'), agent)));
    const other = await callFrom(harness, number, anyNumber('0002'));
    expect(await finished(harness, number.workspaceId, other)).toMatchObject({
      disconnection_reason: 'dial_busy',
    });
    for (const id of stuck) expect((await readCall(harness, number.workspaceId, id)).status).toBe('queued');
    for (const id of stuck) {
      const call = await finished(harness, number.workspaceId, id);
      expect(call).toMatchObject({ disconnection_reason: 'error', duration: 0, answered_at: null });
      const waitedMs = Date.parse(call.ended_at) - Date.parse(call.created_at);
      expect(waitedMs).toBeGreaterThanOrEqual(5 * 60_000);
      const timeline = await harness.ask(number.workspaceId, 'GET', `/v2/call/${id}/timeline`);
      expect(timeline.body.data).toContainEqual(
        expect.objectContaining({ type: 'ended', cause: 'assistant_unreachable' }),
      );
    }
  });

  it('continues with copies while assistants and gateway are unavailable', async () => {
    const number = await connectNumber(harness);
    await finished(harness, number.workspaceId, await callFrom(harness, number, anyNumber('0002')));
    harness.peers.assistants.cut();
    harness.peers.gateway.cut();
    try {
      const data = request(number);
      await harness.bus.publish('dial.requested', number.workspaceId, data);
      await finished(harness, number.workspaceId, data.call_id);
    } finally {
      await harness.peers.assistants.restore();
      await harness.peers.gateway.restore();
    }
  });
});
