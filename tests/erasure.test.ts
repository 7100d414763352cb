import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type QueueName, topology } from '@parley/contracts';
import { SERVICES } from '@parley/devstack';
import { deadQueueName, queueName } from '@parley/kit/amqp';
import { eventually, type Receiver, receiver, type TestBus, testBus } from '@parley/testkit';
import { type Api, bootPlatform, createApi, type Platform, type Workspace } from '@parley/testkit/stage';
import { everyMessage, everyRecording, everyRedisKey, everyRow, type Place } from './platform/everything.ts';
import { setUpAssistant } from './platform/fixtures.ts';

// A person is erased from everything that one workspace has, and from nothing of another; then a workspace is deleted
// [trust.19] [trust.25]. Everything that is stored anywhere is searched for the digits.

const PERSON = '+12025550010';
const TALKER = '+12025550007';
const DIGITS = PERSON.slice(1);
const NICKNAME = 'Wilhelmina of the stored response';
const UNWANTED = '+12025550055';
const UNWANTED_NAME = 'Wilhelmina of the dial that never left';
const LONG = { timeoutMs: 60_000, everyMs: 200 };

let platform: Platform;
let server: Receiver;
let other: Workspace;
let bus: TestBus;
let recordings: string;

beforeAll(async () => {
  server = await receiver();
  recordings = await mkdtemp(join(tmpdir(), 'parley-recordings-'));
  platform = await bootPlatform({ clockRate: 20, env: { RECORDINGS_DIR: recordings } });
  bus = await testBus(platform.inside.telephony.env.AMQP_PREFIX ?? '');
  other = await platform.createWorkspace('Other');
});

afterAll(async () => {
  await bus?.close();
  await platform?.stop();
  await server.close();
  await rm(recordings, { recursive: true, force: true });
});

const queues = (): string[] => {
  const prefix = platform.inside.telephony.env.AMQP_PREFIX ?? '';
  const names = Object.keys(topology) as QueueName[];
  return names.flatMap((name) => [queueName(prefix, name), deadQueueName(prefix, name)]);
};

async function everything(): Promise<Place[]> {
  return [
    ...(await everyRow(platform)),
    ...(await everyRedisKey(platform)),
    ...(await everyRecording(platform)),
    ...(await everyMessage(platform, queues())),
    ['logs', await platform.logs()],
  ];
}

const placesWith = (places: Place[], text: string): string[] => [
  ...new Set(places.filter(([, stored]) => stored.includes(text)).map(([place]) => place)),
];

/** A workspace in which the person has been called, is about to be called, and is spoken of. */
async function fill(workspace: Workspace) {
  const api = createApi(platform.url, workspace.private_key);
  const setup = await setUpAssistant({ ...platform, api }, server);
  server.script('/tool', { body: { reached: PERSON } });
  server.script('/hook', { body: `noted ${PERSON}` });
  const variables = { contact_name: `someone at ${PERSON}`, day: 'Monday' };
  const from = { from_number: setup.number.phone_number, metadata: { crm: [Number(DIGITS)] } };
  const placed = await api.request(
    'POST',
    '/v2/call',
    { ...from, to_number: PERSON, dynamic_variables: variables },
    { 'idempotency-key': `call-${DIGITS}` },
  );
  const spokenOf = await api.data('POST', '/v2/call', {
    ...from,
    to_number: '+12025554242',
    dynamic_variables: variables,
  });
  const base = await api.data('POST', '/v1/knowledge-base', { name: 'People' });
  await api.data('POST', `/v1/knowledge-base/${base.id}/documents`, {
    title: `About ${PERSON}`,
    text: `You reach him at ${PERSON} on weekdays.`,
  });
  const campaign = await api.data('POST', '/v1/campaigns', {
    campaign_name: `Around ${PERSON}`,
    agent_id: setup.assistant.id,
    phone_number: setup.number.phone_number,
    contacts: [
      { phone_number: PERSON, contact_name: 'The person', custom_data: { also: PERSON } },
      { phone_number: '+12025554243', contact_name: `Friend of ${PERSON}` },
    ],
  });
  await eventually(async () => {
    for (const id of [placed.body.data.id, spokenOf.id]) {
      const events = await api.data('GET', `/v2/call/${id}/webhooks`);
      expect(events.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('delivered'));
    }
  }, LONG);
  return { api, setup, callId: placed.body.data.id as string, spokenOf: spokenOf.id as string, campaign };
}

async function completed(api: Api, id: string) {
  await eventually(
    async () => expect(await api.data('GET', `/v1/erasure/${id}`)).toMatchObject({ status: 'completed' }),
    LONG,
  );
  return api.data('GET', `/v1/erasure/${id}`);
}

const rowsOf = (places: Place[], workspaceId: string): string[] =>
  places.filter(([, row]) => row.includes(workspaceId)).map(([place, row]) => `${place} ${row}`);

let mine: Awaited<ReturnType<typeof fill>>;
let theirs: Awaited<ReturnType<typeof fill>>;

describe('erasure of a person', () => {
  let before: string[];

  it('removes the number from all data of the workspace, whatever crashes meanwhile [webhooks.24] [trust.20]', async () => {
    [mine, theirs] = await Promise.all([fill(platform.workspace), fill(other)]);
    const { api } = mine;
    const live = await api.data('POST', '/v2/call', {
      from_number: mine.setup.number.phone_number,
      to_number: TALKER,
      dynamic_variables: { contact_name: 'Talker', day: 'Monday' },
    });
    const placesBefore = placesWith(await everything(), DIGITS);
    for (const place of ['calls', 'turns', 'contacts', 'events', 'attempts_by_day', 'idempotency_keys'])
      expect(placesBefore.join()).toContain(place);
    // Keys note when they were used, and workspaces how much they store.
    await bus.publishRaw('call.ended', `not a message, of ${PERSON}`);
    const poison = { ...bus.received('call.ended')[0], data: { summary: `ask ${PERSON}` } };
    await bus.publishRaw(
      'call.ended',
      JSON.stringify({ ...poison, workspace_id: platform.workspace.workspace_id }),
    );
    await eventually(async () => expect((await bus.deadLetters('webhooks.calls')).length).toBe(2), LONG);
    before = rowsOf(await everyRow(platform), other.workspace_id).filter(
      (row) => !/api_keys|public\.workspaces/.test(row),
    );

    const nicknamed = {
      from_number: mine.setup.number.phone_number,
      to_number: PERSON,
      dynamic_variables: { nickname: NICKNAME },
    };
    const first = await api.request('POST', '/v2/call', nicknamed, { 'idempotency-key': 'plain' });
    expect(first.status).toBe(201);
    const asked = await api.request(
      'POST',
      '/v1/erasure',
      { phone_number: PERSON },
      { 'idempotency-key': 'once' },
    );
    expect([asked.status, asked.body.data]).toEqual([
      202,
      expect.objectContaining({ status: 'queued', number_ending: '10', completed_at: null }),
    ]);
    const again = await api.request(
      'POST',
      '/v1/erasure',
      { phone_number: PERSON },
      { 'idempotency-key': 'once' },
    );
    expect(again.body.data.id).toBe(asked.body.data.id);
    expect((await api.request('POST', '/v1/erasure', { phone_number: PERSON })).status).toBe(409);
    const named = { 'idempotency-key': `erase-${TALKER.slice(1)}`, 'x-request-id': `for-${TALKER.slice(1)}` };
    const second = (await api.request('POST', '/v1/erasure', { phone_number: TALKER }, named)).body.data;
    const requested = 'SELECT FROM audit_log WHERE request_id = $1';
    expect(await platform.query('gateway', requested, named['x-request-id'])).toHaveLength(1);
    // Webhooks hangs: what mentions the person waits in its queue meanwhile.
    await platform.signal('webhooks', 'SIGSTOP');
    const late = await api.data('POST', '/v2/call', {
      from_number: mine.setup.number.phone_number,
      to_number: '+12025554242',
      dynamic_variables: { contact_name: `still at ${PERSON}`, day: 'Monday' },
    });
    await eventually(
      async () => expect(await api.data('GET', `/v2/call/${late.id}`)).toMatchObject({ status: 'completed' }),
      LONG,
    );
    await platform.signal('webhooks', 'SIGCONT');
    for (const service of ['telephony', 'webhooks', 'campaigns', 'gateway'] as const)
      await platform.kill(service);

    const erased = await completed(api, asked.body.data.id);
    await completed(api, second.id);
    const log: { target: { id: string } }[] = await api.data('GET', '/v1/audit-log?action=erasure');
    expect(log.filter(({ target }) => target.id === erased.id)).toMatchObject([
      { action: 'erasure.completed', actor: { kind: 'service' }, changes: { number_ending: { to: '10' } } },
      { action: 'erasure.requested', actor: { kind: 'key' }, changes: { number_ending: { to: '10' } } },
    ]);
    const ours = (await everyRow(platform)).filter(([, row]) =>
      row.includes(platform.workspace.workspace_id),
    );
    expect(placesWith(ours, DIGITS)).toEqual([]);
    expect(placesWith(ours, TALKER.slice(1))).toEqual([]);
    expect(placesWith(ours, NICKNAME)).toEqual([]);
    const repeated = await api.request('POST', '/v2/call', nicknamed, { 'idempotency-key': 'plain' });
    expect([repeated.status, repeated.body.data]).toEqual([201, { id: first.body.data.id }]);
    for (const queue of ['webhooks.calls', 'campaigns.calls'] as const)
      expect((await bus.deadLetters(queue)).filter((body) => body.includes(DIGITS))).toEqual([]);
    const hungUp = await api.data('GET', `/v2/call/${live.id}`);
    expect(hungUp).toMatchObject({ status: 'completed', to_number: null, recording_url: null });
    // Four calls are the person's; the late one counts too if its mention was stored before the others were removed.
    const { removed } = erased.receipt.find(({ service }: { service: string }) => service === 'telephony');
    expect([4, 5]).toContain(removed.find(({ place }: { place: string }) => place === 'calls').count);
    expect(
      Object.fromEntries(erased.receipt.map((part: { service: string }) => [part.service, part])),
    ).toMatchObject({
      telephony: { status: 'completed' },
      campaigns: { removed: expect.arrayContaining([{ place: 'contacts', count: 2 }]) },
    });
  }, 120_000);

  it('masks the number in a message that is consumed only after the erasure', async () => {
    const { workspace_id: mineId } = platform.workspace;
    const started = bus.received('call.started').find(({ workspace_id }) => workspace_id === mineId);
    if (!started) throw new Error('no call has started');
    const data = { ...started.data, call_id: randomUUID(), dynamic_variables: { who: PERSON } };
    server.script('/hook', {});
    await bus.publish('call.started', mineId, data);
    // Nothing of it changes any more: a later test compares all rows.
    const stored = await eventually(async () => {
      const rows = await platform.query<{ body: string; status: string }>(
        'webhooks',
        'SELECT body, status FROM events WHERE call_id = $1::uuid',
        data.call_id,
      );
      expect(rows).toMatchObject([{ status: 'delivered' }]);
      return JSON.stringify(rows);
    }, LONG);
    expect(stored).toContain('10000000000');
    expect(stored).not.toContain(DIGITS);
  }, 60_000);

  it('removes a name that is only in a dial which never became a call [campaigns.4]', async () => {
    const { api, setup } = mine;
    await api.data('POST', '/v1/do-not-call', { phone_numbers: [UNWANTED] });
    const { campaign_id } = await api.data('POST', '/v1/campaigns', {
      campaign_name: 'Unwanted',
      agent_id: setup.assistant.id,
      phone_number: setup.number.phone_number,
      contacts: [
        { phone_number: UNWANTED, contact_name: UNWANTED_NAME, custom_data: { known_as: UNWANTED_NAME } },
      ],
    });
    await api.data('POST', `/v1/campaigns/${campaign_id}/resume`);
    await eventually(async () => {
      const [contact] = await api.data('GET', `/v1/campaigns/${campaign_id}/contacts`);
      expect(contact).toMatchObject({ status: 'failed' });
    }, LONG);
    expect(placesWith(await everyRow(platform), UNWANTED_NAME).join()).toContain('dial_requests');
    const { id } = await api.data('POST', '/v1/erasure', { phone_number: UNWANTED, keep_do_not_call: false });
    await completed(api, id);
    const places = await everything();
    expect(placesWith(places, UNWANTED_NAME)).toEqual([]);
    expect(placesWith(places, UNWANTED.slice(1))).toEqual([]);
  }, 60_000);

  it('changes no row of another workspace', async () => {
    const after = new Set(rowsOf(await everyRow(platform), other.workspace_id));
    expect(before.filter((row) => !after.has(row))).toEqual([]);
    expect((await theirs.api.data('GET', `/v2/call/${theirs.callId}`)).to_number).toBe(PERSON);
  });

  it("keeps what billing needs, and the campaign's counters add up", async () => {
    const { api, callId, campaign } = mine;
    const call = await eventually(() => api.data('GET', `/v2/call/${callId}`), LONG);
    expect(call).toMatchObject({
      to_number: null,
      status: 'completed',
      summary: null,
      dynamic_variables: {},
      metadata: {},
    });
    expect(call.cost).toBeGreaterThan(0);
    const contacts = await api.data('GET', `/v1/campaigns/${campaign.campaign_id}/contacts`);
    expect(contacts).toMatchObject([
      {
        phone_number: 'erased',
        contact_name: null,
        custom_data: {},
        status: 'failed',
        last_outcome: 'erased',
      },
      { phone_number: '+12025554243', contact_name: 'Friend of +10000000000', status: 'pending' },
    ]);
    expect(await api.data('GET', `/v2/call/${callId}/webhooks`)).toEqual([]);
    expect((await api.data('GET', `/v2/call/${callId}/timeline`)).length).toBe(0);
  });
});

describe('retention', () => {
  it('removes recordings older than their retention, and keeps their calls', async () => {
    const { callId } = theirs;
    const recordingOf = async (id: string) =>
      (await everyRecording(platform)).filter(([place]) => place.includes(id)).length;
    await eventually(async () => expect(await recordingOf(callId)).toBe(1), LONG);
    const old = "UPDATE calls SET ended_at = ended_at - interval '3 days' WHERE id = $1::uuid";
    await platform.query('telephony', old, callId);
    await platform.parley(
      'workspace',
      'set',
      '--workspace',
      other.workspace_id,
      '--retain-recordings-days',
      '2',
    );
    await eventually(async () => expect(await recordingOf(callId)).toBe(0), LONG);
    expect(await theirs.api.data('GET', `/v2/call/${callId}`)).toMatchObject({
      status: 'completed',
      recording_url: null,
    });
    expect(await recordingOf(theirs.spokenOf)).toBe(1);
  }, 60_000);

  it('removes what a workspace no longer wants to keep, everywhere, and nothing of others', async () => {
    const { callId, spokenOf } = theirs;
    const age = "interval '3 days'";
    await platform.query(
      'telephony',
      `UPDATE calls SET created_at = created_at - ${age}, ended_at = ended_at - ${age} WHERE id = ANY ($1::uuid[])`,
      [spokenOf, mine.spokenOf],
    );
    const set = ['workspace', 'set', '--workspace', other.workspace_id, '--retain-calls-days', '2'];
    expect(await platform.parley(...set)).toMatchObject({ retain_calls_days: 2, retain_contacts_days: null });
    await eventually(
      async () => expect((await theirs.api.request('GET', `/v2/call/${spokenOf}`)).status).toBe(404),
      LONG,
    );
    const left = await everyRow(platform);
    expect(placesWith(left, spokenOf).filter((place) => place.startsWith('telephony'))).toEqual([]);
    expect((await theirs.api.data('GET', `/v2/call/${callId}`)).id).toBe(callId);
    expect((await mine.api.data('GET', `/v2/call/${mine.spokenOf}`)).id).toBe(mine.spokenOf);
  }, 60_000);
});

describe('deletion of a workspace', () => {
  it("asks for the workspace's name", async () => {
    await expect(
      platform.parley('workspace', 'delete', '--workspace', other.workspace_id, '--confirm', 'Test'),
    ).rejects.toThrow('--confirm must be the name of the workspace, "Other"');
  });

  it('refuses its keys at once, ends its calls, and removes everything of it and nothing of others', async () => {
    const api = createApi(platform.url, other.private_key);
    const [number] = await api.data('POST', '/v1/phone-number/list', {});
    const account = { telco_account_sid: `AC${'a'.repeat(32)}`, telco_auth_token: 'token' };
    const telco = await api.data('POST', '/v1/phone-number/telco', {
      phone_number: '+12025554444',
      ...account,
    });
    await api.data('POST', `/v1/phone-number/${telco.id}/telco-webhook`);
    await api.data('POST', '/v2/call', { from_number: number.phone_number, to_number: TALKER });
    const remains = (places: Place[]) =>
      rowsOf(places, platform.workspace.workspace_id).filter(
        (row) => !/api_keys|public\.workspaces|outbox|calls|simulated_legs/.test(row),
      );
    const before = remains(await everyRow(platform));

    const deleting = ['workspace', 'delete', '--workspace', other.workspace_id];
    await platform.parley(...deleting, '--confirm', 'Other');
    await eventually(async () => expect((await api.request('GET', '/v1/voice')).status).toBe(401), {
      timeoutMs: 1_500,
    });
    await eventually(
      async () =>
        expect(await platform.parley(...deleting, '--status')).toMatchObject({ status: 'completed' }),
      LONG,
    );
    const rows = await everyRow(platform);
    expect(new Set(remains(rows))).toEqual(new Set(before));
    expect(placesWith(rows, other.workspace_id).sort()).toEqual(
      [...SERVICES.map((service) => `${service}: public.removals`), 'gateway: public.removal_jobs'].sort(),
    );
    expect(placesWith(await everything(), DIGITS)).toEqual([]);
  }, 90_000);
});
