import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { amqpUrl, faultProxy } from '@parley/testkit';
import { createHarness, type Harness, soon } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());

type Explained = { reasons: { code: string; message: string }[] } & Record<string, Record<string, unknown>>;
const explain = async (id: string, replica = h.first): Promise<Explained> => {
  const answer = await h.send('GET', `/v1/campaigns/${id}/explain`, { replica });
  expect(answer.status).toBe(200);
  return answer.data as Explained;
};
const codes = ({ reasons }: Explained): string[] => reasons.map(({ code }) => code);
/** A running campaign and its number. */
const running = async (more: Record<string, unknown> = {}) => {
  const { agentId: agent_id, phoneNumber: phone_number, phoneNumberId } = h.furnish();
  const id = await h.create({ agent_id, phone_number, ...more });
  await h.verb(id, 'resume');
  return { id, phoneNumberId, phone_number };
};
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('GET /v1/campaigns/{id}/explain', () => {
  it('reports state, hours, pace, concurrency, carrier, circuit and what the contacts wait for [campaigns.18]', async () => {
    const id = await h.create({ contacts: h.contactsOf(3) });
    expect(await explain(id)).toEqual({
      campaign_id: id,
      at: expect.any(String),
      state: 'draft',
      reasons: [{ code: 'draft', message: 'The campaign is a draft: resume it to start dialing.' }],
      hours: { is_open: true, tz: null, next_opening_at: null, next_closing_at: null },
      pace: { max_cps: 1000, next_slot_at: '1970-01-01T00:00:00.000Z', waiting: 0 },
      concurrency: { live: 0, most: 20 },
      carrier: { is_number_active: true, call_workers: 1, last_failed_at: null },
      circuit: {
        state: 'closed',
        failures_in_a_row: 0,
        last_failed_at: null,
        opened_at: null,
        openings: 0,
        next_probe_at: null,
      },
      contacts: {
        ...{ total: 3, pending: 3, retry_due: 0, retry_later: 0, next_retry_at: null, requested: 0 },
        ...{ dialing: 0, in_progress: 0, succeeded: 0, failed: 0 },
      },
    });
  });

  it('state: reports scheduled, paused, cancelled and completed [campaigns.18]', async () => {
    const at = '2099-01-01T00:00:00.000Z';
    const scheduled = await h.create({ scheduled_at: at });
    expect((await explain(scheduled)).reasons).toEqual([
      { code: 'scheduled', message: `The campaign starts at ${at}.` },
    ]);
    await h.verb(scheduled, 'pause');
    expect(codes(await explain(scheduled))).toEqual(['paused']);
    await h.verb(scheduled, 'cancel');
    expect(codes(await explain(scheduled))).toEqual(['cancelled']);
    const { id } = await running();
    const [dial] = await h.dials(id, 1);
    if (dial) await h.say.ended(dial, 'user_hangup');
    await soon(async () => expect(codes(await explain(id))).toEqual(['completed']));
  });

  it('hours: reports that they are closed, and when they open next [campaigns.18]', async () => {
    const today = ((new Date().getUTCDay() + 6) % 7) + 1;
    const hours = { tz: 'UTC', days: [((today + 1) % 7) + 1], windows: [{ start: 540, end: 1020 }] };
    const { id } = await running({ business_hours: hours });
    const explained = await explain(id);
    const opening = String(explained.hours?.next_opening_at);
    expect(opening).toMatch(/T09:00:00\.000Z$/);
    expect(explained).toMatchObject({
      state: 'dormant',
      hours: { is_open: false, tz: 'UTC', next_closing_at: null },
      reasons: [{ code: 'hours_closed', message: `Its business hours (UTC) are closed until ${opening}.` }],
    });
  });

  it.each([
    ['pace', { max_cps: 0.1, next_dial_at: inAnHour() }, 'at most one call in 10 seconds'],
    ['concurrency_full', { live_calls: 20 }, '20 of 20 concurrent calls'],
    ['number_inactive', { is_active: false }, 'deactivated'],
    ['limits_unreachable', { max_live_calls: null }, 'The maximum of concurrent calls of the workspace'],
    ['no_call_worker', { call_workers: 0 }, 'No call worker'],
    ['workspace_suspended', { is_suspended: true }, 'suspended by the operator'],
    [
      'daily_spend_limit',
      { spend: { limit_cents: 500, spent_cents: 495, reserved_cents: 0, is_exhausted: true } },
      '495 of 500 cents are spent today',
    ],
    [
      'circuit_open',
      {
        circuit: {
          ...{ state: 'open' as const, failures_in_a_row: 30, last_failed_at: inAnHour(), openings: 2 },
          ...{ opened_at: inAnHour(), next_probe_at: inAnHour() },
        },
      },
      'The carrier failed 30 consecutive dials',
    ],
  ])('%s [campaigns.18]', async (code, conditions, words) => {
    const { id, phoneNumberId } = await running({ contacts: h.contactsOf(2) });
    h.peers.conditions.set(phoneNumberId, conditions);
    const { reasons } = await explain(id);
    expect(reasons).toEqual([{ code, message: expect.stringContaining(words) }]);
  });

  it('contacts that may not be called wait without using up an attempt, and the campaign continues [trust.22] [campaigns.20]', async () => {
    const { id, phoneNumberId } = await running({ contacts: h.contactsOf(2) });
    h.peers.conditions.set(phoneNumberId, { allowed_destinations: ['+49'] });
    const [first, second] = await h.dials(id, 2);
    if (!first || !second) throw new Error('no dials');
    await h.say.refused(first, 'destination_not_allowed');
    await h.say.dialing(second);
    await soon(async () => {
      const { reasons } = await explain(id);
      expect(reasons[0]).toEqual({
        code: 'destination_not_allowed',
        message: expect.stringMatching(/^1 contact waits .*\(now: \+49\)/),
      });
    });
    const { data } = await h.send('GET', `/v1/campaigns/${id}/contacts?status=pending`);
    expect(data).toEqual([
      expect.objectContaining({ attempts: 0, last_outcome: 'destination_not_allowed', last_call_id: null }),
    ]);
  });

  it('a deleted number, and unavailable telephony: the rest is still reported [campaigns.18]', async () => {
    const { id, phone_number } = await running();
    h.peers.mode.down = true;
    const explained = await explain(id);
    h.peers.mode.down = false;
    expect(codes(explained)).toEqual(['telephony_unreachable']);
    expect(explained).toMatchObject({ pace: null, circuit: null, contacts: { total: 1 } });
    h.peers.numbers.delete(phone_number);
    await soon(async () => expect(codes(await explain(id))).toEqual(['number_deleted']));
  });

  it('unavailable assistants [campaigns.18]', async () => {
    const { id } = await running();
    h.peers.mode.assistantsDown = true;
    const explained = await explain(id);
    h.peers.mode.assistantsDown = false;
    expect(codes(explained)).toEqual(['assistant_unreachable']);
  });

  it('an unavailable message broker [campaigns.18]', async () => {
    const broker = await faultProxy(amqpUrl());
    const env = { AMQP_URL: broker.url };
    const replica = await h.boot({ jobs: false, consumers: false, env });
    const { id } = await running();
    broker.cut();
    await soon(async () => expect(codes(await explain(id, replica))).toEqual(['broker_unreachable']));
    broker.restore();
    await soon(async () => expect(codes(await explain(id, replica))).toEqual(['dialling']));
    await replica.stop();
    await broker.close();
  });

  it('contacts: reports those waiting for a retry and those in a call, and that nothing prevents dialing [campaigns.18]', async () => {
    const { id, phoneNumberId } = await running({
      ...{ contacts: h.contactsOf(3), max_retries: 1, retry_intervals: [60] },
    });
    const dials = await h.dials(id, 3);
    expect(codes(await explain(id))).toEqual(['dialling']);
    // Contacts that are not due are not explained by the pace or by other calls.
    h.peers.conditions.set(phoneNumberId, { live_calls: 20, next_dial_at: inAnHour() });
    const [first, second, third] = dials;
    if (!first || !second || !third) throw new Error('no dials');
    await h.say.ended(first, 'dial_busy');
    await h.say.started(second);
    await h.say.dialing(third);
    await soon(async () => {
      const explained = await explain(id);
      expect(explained.reasons).toEqual([
        {
          code: 'waiting_for_retries',
          message: expect.stringMatching(/^1 contact waits for another attempt/),
        },
        { code: 'calls_in_progress', message: '2 calls are in progress.' },
      ]);
      expect(explained.contacts).toMatchObject({
        ...{ pending: 0, retry_due: 0, retry_later: 1, requested: 0, dialing: 1, in_progress: 1 },
        next_retry_at: expect.any(String),
      });
    });
  });
});
