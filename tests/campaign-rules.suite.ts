import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import type { Platform } from '@parley/testkit/stage';
import type { Enter } from './platform/describe-platform.ts';
import { ownNumber } from './platform/fixtures.ts';

const LONG = { timeoutMs: 200_000, everyMs: 200 };
const MINUTE_MS = 60_000;

let platform: Platform;
let server: Receiver;

type Json = ReturnType<typeof JSON.parse>;

async function connectAssistant(config: object, hook = '/hook') {
  const { api } = platform;
  const settings = {
    webhookUrl: server.url + hook,
    maxCallDuration: 300,
    ringTimeout: 60,
    silenceTimeout: 100,
    ...(config as Json).settings,
  };
  const assistant = await api.data('POST', '/v1/assistant', {
    agent_name: 'Ada',
    config: { ...config, settings },
  });
  const number = await api.data('POST', '/v1/phone-number/sip', {
    phone_number: ownNumber(),
    termination_uri: 'sip.example.com',
    outbound_agent_id: assistant.id,
    max_cps: 50,
  });
  return { agent_id: assistant.id, phone_number: number.phone_number };
}

/** Creates and resumes a campaign and waits for its end; returns it with its contacts and calls. */
async function run(body: object) {
  const { api } = platform;
  const { campaign_id } = await api.data('POST', '/v1/campaigns', { campaign_name: 'Rules', ...body });
  await api.data('POST', `/v1/campaigns/${campaign_id}/resume`);
  const campaign = await eventually(async () => {
    const read = await api.data('GET', `/v1/campaigns/${campaign_id}`);
    expect(read.status).toBe('completed');
    return read;
  }, LONG);
  const contacts: Json[] = await api.data('GET', `/v1/campaigns/${campaign_id}/contacts`);
  const calls: Json[] = await api.data('POST', '/v2/call/list', { campaign_ids: [campaign_id], size: 100 });
  return { campaign, contacts, calls };
}

const ending = (suffix: string): string => `+1202777${suffix}`;

/** Outcomes of the simulated carrier [running.2] with two retries: final status, attempts, last outcome. One tool: end_call. */
const ROWS: [suffix: string, status: string, attempts: number, lastOutcome: string][] = [
  ['0001', 'failed', 3, 'dial_no_answer'],
  ['0002', 'failed', 3, 'dial_busy'],
  ['0003', 'failed', 3, 'voicemail'],
  ['0004', 'failed', 3, 'dial_failed'],
  ['0005', 'failed', 1, 'dial_failed'],
  ['0006', 'succeeded', 1, 'agent_hangup'],
  ['0007', 'succeeded', 1, 'timeout'],
  ['0008', 'succeeded', 1, 'user_hangup'],
  ['0009', 'succeeded', 2, 'user_hangup'],
  ['0010', 'succeeded', 1, 'agent_hangup'],
  ['0011', 'succeeded', 1, 'user_hangup'],
  ['0012', 'succeeded', 1, 'user_hangup'],
  ['4321', 'succeeded', 1, 'user_hangup'],
];
const UNWANTED = ending('5555');

/** Minutes of ringing and of waiting, under way while other tests run. */
let retried: ReturnType<typeof run>;
async function runWithRetries() {
  await platform.api.data('POST', '/v1/do-not-call', { phone_numbers: [UNWANTED] });
  return run({
    ...(await connectAssistant({ firstMessage: 'Hello.' })),
    max_retries: 2,
    retry_intervals: [1, 2],
    contacts: [...ROWS.map(([suffix]) => ending(suffix)), UNWANTED].map((phone_number) => ({ phone_number })),
  });
}
export function campaignRulesSuite(enter: Enter): void {
  beforeAll(async () => {
    server = await receiver();
    platform = await enter();
    retried = runWithRetries();
    // It is awaited by the tests that are about it.
    retried.catch(() => undefined);
  });
  afterAll(() => server?.close());

  describe('[campaigns.4] placeholders and custom_data, from the campaign to the webhook', () => {
    const contact = { contact_name: 'Grace', custom_data: { city: 'Rome', order: { id: 7 } } };
    const variables = { contact_name: 'Grace', city: 'Rome', order: { id: 7 } };
    const payloads = (hook: string, callId: string): Record<string, Json> =>
      Object.fromEntries(
        server
          .requests(hook)
          .map(({ body }) => JSON.parse(body))
          .filter(({ call_id }) => call_id === callId)
          .map(({ event, payload }) => [event, payload]),
      );

    it.concurrent('[campaigns.4] reach the prompt, the first message, the call, its transcript and every webhook; unknown ones are listed', async () => {
      const sms = {
        enabled: true,
        smsContentType: 'static',
        smsStaticMessage: 'Hi {{contact_name}}, {{in_sms}}',
      };
      const spoken = await connectAssistant(
        {
          nativeTools: { send_sms: sms },
          firstMessage: 'Hello {{contact_name}} of {{city}}{{nowhere}}, order {{order}}.',
          systemPrompt: '{{unknown}}',
        },
        '/spoken',
      );
      const prompted = await connectAssistant(
        { systemPrompt: 'You are the assistant that {{contact_name}} of {{city}} knows{{nowhere}}.' },
        '/prompted',
      );
      const contacts = [{ phone_number: ending('6789'), ...contact }];
      const ran = await Promise.all([run({ ...spoken, contacts }), run({ ...prompted, contacts })]);
      const [first, second] = ran.map(({ calls }) => calls[0]?.id as string);
      const said = {
        [String(first)]: 'Hello Grace of Rome, order {"id":7}.',
        [String(second)]: 'I am the assistant that Grace of Rome knows.',
      };
      for (const [hook, id] of [
        ['/spoken', first],
        ['/prompted', second],
      ] as [string, string][]) {
        const events = await eventually(() => {
          const found = payloads(hook, id);
          expect(Object.keys(found).sort()).toEqual(['call_analyzed', 'call_ended', 'call_started']);
          return found;
        }, LONG);
        expect(events.call_started.dynamic_variables).toEqual(variables);
        expect(events.call_ended.dynamic_variables).toEqual(variables);
        expect(events.call_analyzed.data.dynamic_variables).toEqual(variables);
        expect(events.call_analyzed.data.transcript[0].content).toContain(said[id]);
        const call = await platform.api.data('GET', `/v2/call/${id}`);
        expect(call).toMatchObject({
          dynamic_variables: variables,
          transcript: expect.stringContaining(said[id] ?? ''),
        });
        expect(JSON.stringify(call)).not.toContain('{{');
      }
      const unresolved = async (id?: string) =>
        (await platform.api.data('GET', `/v2/call/${id}`)).unresolved_placeholders.sort();
      expect(await unresolved(first)).toEqual(['in_sms', 'nowhere', 'unknown']);
      expect(await unresolved(second)).toEqual(['nowhere']);
    }, 240_000);

    it.concurrent('[campaigns.13] reach the voicemail message; a contact whose machine heard it is a success, and not dialed again', async () => {
      const voicemail = {
        detection: true,
        action: 'leave_message',
        message: '{{contact_name}}, call {{city}} {{back}}.',
      };
      const { contacts, calls } = await run({
        ...(await connectAssistant({ settings: { voicemail } }, '/voicemail')),
        max_retries: 2,
        retry_intervals: [1],
        contacts: [{ phone_number: ending('0003'), ...contact }],
      });
      expect(contacts).toMatchObject([{ status: 'succeeded', attempts: 1, last_outcome: 'voicemail' }]);
      expect(calls).toHaveLength(1);
      const call = await eventually(async () => {
        const read = await platform.api.data('GET', `/v2/call/${calls[0]?.id}`);
        expect(read.transcript).toContain('Grace, call Rome .');
        return read;
      }, LONG);
      expect(call).toMatchObject({ dynamic_variables: variables, unresolved_placeholders: ['back'] });
    }, 240_000);
  });

  describe('[campaigns.12] retries by policy, through campaigns, telephony and the simulated carrier', () => {
    let ran: Awaited<ReturnType<typeof run>>;
    beforeAll(async () => {
      ran = await retried;
    }, 240_000);
    const contactOf = (phoneNumber: string): Json =>
      ran.contacts.find(({ phone_number }) => phone_number === phoneNumber);
    const callsTo = (phoneNumber: string): Json[] =>
      ran.calls
        .filter(({ to_number }) => to_number === phoneNumber)
        .sort((a, b) => (a.started_at < b.started_at ? -1 : 1));

    it.each(ROWS)('[running.2] %s: %s after %i attempts, %s', (suffix, status, attempts, last_outcome) => {
      const calls = callsTo(ending(suffix));
      expect(calls).toHaveLength(attempts);
      expect(contactOf(ending(suffix))).toMatchObject({
        ...{ status, attempts, last_outcome, next_attempt_at: null },
        last_call_id: calls.at(-1)?.id,
      });
    });

    it('[campaigns.12] retry N waits retry_intervals[N-1], counted from the end of the attempt', () => {
      for (const suffix of ['0001', '0002', '0003', '0004', '0009']) {
        const calls = callsTo(ending(suffix));
        for (const [i, call] of calls.slice(1).entries()) {
          const waitedMs = Date.parse(call.started_at) - Date.parse(calls[i]?.ended_at);
          expect(waitedMs).toBeGreaterThanOrEqual(([1, 2][i] ?? 0) * MINUTE_MS);
        }
      }
    });

    it('[campaigns.13] a contact on the do-not-call list fails and is never dialed', () => {
      expect(callsTo(UNWANTED)).toEqual([]);
      expect(contactOf(UNWANTED)).toMatchObject({
        ...{ status: 'failed', attempts: 0, last_call_id: null, last_outcome: 'do_not_call' },
      });
    });

    it('[campaigns.14] counters count contacts, not calls, and add up', () => {
      const succeeded = ROWS.filter(([, status]) => status === 'succeeded').length;
      expect(ran.campaign).toMatchObject({
        total_contacts: ROWS.length + 1,
        completed_calls: ROWS.length + 1,
        successful_calls: succeeded,
        failed_calls: ROWS.length + 1 - succeeded,
      });
      expect(ran.calls).toHaveLength(ROWS.reduce((sum, [, , attempts]) => sum + attempts, 0));
    });
  });
}
