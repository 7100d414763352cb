import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import type { Platform } from '@parley/testkit/stage';
import type { Enter } from './platform/describe-platform.ts';
import { eventsByCall, setUpAssistant } from './platform/fixtures.ts';

let platform: Platform;
let server: Receiver;
let setup: Awaited<ReturnType<typeof setUpAssistant>>;
const LONG = { timeoutMs: 60_000, everyMs: 100 };

const suffixed = (suffix: string, i = 0) => `+1202${String(555 + i).padStart(3, '0')}${suffix}`;

export function mainJobSuite(enter: Enter): void {
  beforeAll(async () => {
    server = await receiver();
    platform = await enter();
    setup = await setUpAssistant(platform, server);
  });
  afterAll(() => server?.close());

  describe('the main job, through all five services and the broker [general.2] [general.3] [running.8]', () => {
    it.concurrent('a placed call is answered, has a conversation, uses the tool, ends, is analyzed, and sends its webhooks in order', async () => {
      const { api, workspace } = platform;
      const placed = await api.data('POST', '/v2/call', {
        to_number: suffixed('0010'),
        from_number: setup.number.phone_number,
        dynamic_variables: { contact_name: 'Grace', day: 'Monday' },
      });
      expect(placed).toMatchObject({ status: 'queued', agent_id: setup.assistant.id, call_type: 'outbound' });

      await eventually(() => {
        expect(eventsByCall(server).get(placed.id)).toEqual(['call_started', 'call_ended', 'call_analyzed']);
      }, LONG);
      for (const request of server.requests('/hook')) server.verify(request, workspace.webhook_secret);

      const call = await api.data('GET', `/v2/call/${placed.id}`);
      expect(call).toMatchObject({
        status: 'completed',
        disconnection_reason: expect.any(String),
        agent_name: 'Ada',
      });
      expect(call.duration).toBeGreaterThan(0);
      expect(call.cost).toBe(Math.ceil((call.duration * 10) / 60));
      expect(call.transcript).toContain('Grace');
      expect(call.summary).toEqual(expect.any(String));
      expect(call.transcript_json.conversation.length).toBeGreaterThan(2);

      const [invocation] = server.requests('/tool');
      if (!invocation) throw new Error('the tool was not called');
      expect(server.verify(invocation, workspace.webhook_secret)).toMatchObject({
        event: 'tool_invoked',
        call_id: placed.id,
        payload: {
          tool_name: 'check_availability',
          call: { call_type: 'outbound', customer_number: suffixed('0010') },
        },
      });
      expect(invocation.headers['x-secret']).toBe('canary-of-the-tool');

      const webhooks = await api.data('GET', `/v2/call/${placed.id}/webhooks`);
      expect(webhooks.map((w: { event: string; status: string }) => [w.event, w.status])).toEqual([
        ['call_started', 'delivered'],
        ['call_ended', 'delivered'],
        ['call_analyzed', 'delivered'],
      ]);
      const listed = await api.request('POST', '/v2/call/list', { call_id: placed.id });
      expect(listed.body).toMatchObject({
        data: [{ id: placed.id }],
        pagination: { total: 1, count: 1, next_cursor: null },
      });
      const legacy = await api.request('GET', `/calls?callId=${placed.id}`);
      expect(legacy.body).toMatchObject({
        id: placed.id,
        status: 'completed',
        agents: { agent_name: 'Ada' },
      });
    }, 90_000);

    it.concurrent('post-call analysis fills the configured fields from the conversation', async () => {
      const { api } = platform;
      const { id } = await api.data('POST', '/v2/call', {
        to_number: '+15550111234',
        from_number: setup.number.phone_number,
        dynamic_variables: { contact_name: 'Grace', day: 'Monday' },
      });
      const call = await eventually(async () => {
        const found = await api.data('GET', `/v2/call/${id}`);
        expect(found.analysis_data).not.toBeNull();
        return found;
      }, LONG);
      const [, said] = /order number is (\d+)/.exec(call.transcript) ?? [];
      expect(call.analysis_data).toEqual({ interested: false, order_number: Number(said) });
    }, 90_000);

    it.concurrent('a campaign is created, resumed and completed, its counters add up, and its calls can be read', async () => {
      const { api } = platform;
      const endings = ['0001', '0002', '0005', '0008', '0009', '0011', '0012', '1234', '2345', '3456'];
      const created = await api.data('POST', '/v1/campaigns', {
        campaign_name: 'Spring',
        agent_id: setup.assistant.id,
        phone_number: setup.number.phone_number,
        max_retries: 1,
        retry_intervals: [1],
        contacts: endings.map((ending, i) => ({
          phone_number: suffixed(ending, i + 1),
          contact_name: `Contact ${ending}`,
          custom_data: { day: 'Tuesday' },
        })),
      });
      expect(created).toMatchObject({ status: 'draft', total_contacts: endings.length });
      const resumed = await api.data('POST', `/v1/campaigns/${created.campaign_id}/resume`);
      expect(resumed.status).toBe('running');

      const done = await eventually(async () => {
        const campaign = await api.data('GET', `/v1/campaigns/${created.campaign_id}`);
        expect(campaign.status).toBe('completed');
        return campaign;
      }, LONG);
      expect(done).toMatchObject({ completed_calls: 10, successful_calls: 7, failed_calls: 3 });

      const { body } = await api.request('GET', `/v1/campaigns/${created.campaign_id}/contacts`);
      const outcomes = Object.fromEntries(
        body.data.map((c: Record<string, string>) => [
          c.phone_number?.slice(-4),
          [c.status, c.attempts, c.last_outcome],
        ]),
      );
      expect(outcomes).toMatchObject({
        '0001': ['failed', 2, 'dial_no_answer'],
        '0002': ['failed', 2, 'dial_busy'],
        '0005': ['failed', 1, 'dial_failed'],
        '0008': ['succeeded', 1, 'user_hangup'],
        '0009': ['succeeded', 2, 'user_hangup'],
        '0011': ['succeeded', 1, 'user_hangup'],
        '0012': ['succeeded', 1, 'user_hangup'],
        '1234': ['succeeded', 1, 'user_hangup'],
      });
      const calls = await api.request('POST', '/v2/call/list', {
        campaign_ids: [created.campaign_id],
        size: 100,
      });
      expect(calls.body.pagination.total).toBe(13);
      await eventually(() => {
        const got = eventsByCall(server);
        for (const { id, answered_at } of calls.body.data) {
          const expected = answered_at
            ? ['call_started', 'call_ended', 'call_analyzed']
            : ['call_ended', 'call_analyzed'];
          expect(got.get(id)).toEqual(expected);
        }
      }, LONG);
    }, 120_000);

    it('assistant and number can be deleted without a live campaign, and their history stays', async () => {
      const { api } = platform;
      const { assistant, number } = setup;
      const waiting = await api.data('POST', '/v1/campaigns', {
        campaign_name: 'Autumn',
        agent_id: assistant.id,
        phone_number: number.phone_number,
        contacts: [{ phone_number: suffixed('1234') }],
      });
      for (const path of [`/v1/assistant/${assistant.id}`, `/v1/phone-number/${number.id}`]) {
        const { status, body } = await api.request('DELETE', path);
        expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
        expect(body.error.message).toMatch(/Autumn.*draft/);
      }
      const shown = async () => (await api.data('POST', '/v1/assistant/list', {}))[0].outbound_phone_number;
      await eventually(async () => expect(await shown()).toBe(number.phone_number), LONG);
      await api.data('POST', `/v1/campaigns/${waiting.campaign_id}/cancel`);

      expect((await api.request('DELETE', `/v1/assistant/${assistant.id}`)).status).toBe(204);
      const again = await api.request('POST', '/v1/campaigns', {
        campaign_name: 'Winter',
        agent_id: assistant.id,
        phone_number: number.phone_number,
        contacts: [{ phone_number: suffixed('1234') }],
      });
      expect([again.status, again.body.error.code]).toEqual([404, 'AGENT_NOT_FOUND']);
      await eventually(async () => {
        const { outbound_agent_id } = await api.data('GET', `/v1/phone-number/${number.id}`);
        expect(outbound_agent_id).toBeNull();
      }, LONG);
      expect((await api.request('DELETE', `/v1/phone-number/${number.id}`)).status).toBe(204);

      await eventually(async () => {
        const campaigns = await api.data('GET', '/v1/campaigns');
        for (const campaign of campaigns) expect(campaign.phone_number).toBeNull();
        const [call] = await api.data('POST', '/v2/call/list', { agent_ids: [assistant.id], size: 1 });
        expect(call).toMatchObject({ agent_name: null, from_number: number.phone_number });
        expect(await api.data('GET', `/v2/call/${call.id}`)).toMatchObject({ phone_number_id: null });
      }, LONG);
    }, 90_000);
  });
}
