import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnyEndpoint, publicEndpoints } from '@parley/contracts';
import { everyCase, type Receiver, receiver } from '@parley/testkit';
import { bootPlatform, type Platform } from '@parley/testkit/stage';
import { ownNumber, setUpAssistant } from './platform/fixtures.ts';
import { credentials, type SessionHeaders, signInAs } from './platform/session.ts';

let platform: Platform;
let server: Receiver;
let session: SessionHeaders;
let bodies: Record<string, () => Record<string, unknown>>;
/** An existing resource for routes that find it before they read the body; other routes get an unknown id. */
let existing: Record<string, string>;

beforeAll(async () => {
  server = await receiver();
  platform = await bootPlatform({ clockRate: 20 });
  const { workspace_id } = platform.workspace;
  await platform.parley('workspace', 'set', '--workspace', workspace_id, '--max-live-calls', '100000');
  session = await signInAs(platform, 'owner', 'owner@example.org');
  const { assistant, number } = await setUpAssistant(platform, server);
  bodies = validBodies(assistant.id, number.phone_number);
  const campaign = await platform.api.request('POST', '/v1/campaigns', {
    campaign_name: 'Takes more',
    agent_id: assistant.id,
    phone_number: number.phone_number,
    contacts: [{ phone_number: '+12025550123' }],
  });
  const knowledge = await platform.api.data('POST', '/v1/knowledge-base', { name: 'k' });
  existing = { appendContacts: campaign.body.data.campaign_id, addDocument: knowledge.id };
});

afterAll(async () => {
  await platform?.stop();
  await server.close();
});

/** A valid body for each endpoint that has one; then one field at a time is made invalid. */
function validBodies(agentId: string, from: string): Record<string, () => Record<string, unknown>> {
  const testTurn = () => ({
    agent_id: agentId,
    config: {},
    call_type: 'web',
    customer_number: '+12025550123',
    dynamic_variables: {},
    transcript: [],
    message: 'Hello',
    test_id: randomUUID(),
  });
  return {
    createAssistant: () => ({ agent_name: 'A', agent_type: 'Single Prompt', config: {} }),
    patchAssistant: () => ({ agent_name: 'A', agent_type: 'Single Prompt', config: {} }),
    replaceAssistant: () => ({ agent_name: 'A', agent_type: 'Single Prompt', config: {} }),
    listAssistants: () => ({ page: 1, size: 10, search: 'a' }),
    createCustomTool: () => ({
      agent_id: agentId,
      tool_name: `t_${randomUUID().replaceAll('-', '_')}`,
      description: 'd',
      endpoint_url: 'https://example.com/tool',
      http_method: 'POST',
      headers: {},
      parameters: null,
      timeout_seconds: 30,
      tool_behavior: 'blocking',
      result_scheduling: null,
    }),
    updateCustomTool: () => ({
      tool_name: 't',
      description: 'd',
      endpoint_url: 'https://example.com/tool',
      http_method: 'POST',
      headers: {},
      parameters: null,
      timeout_seconds: 30,
      tool_behavior: 'non_blocking',
      result_scheduling: 'silent',
    }),
    createNativeTool: () => ({
      agent_id: agentId,
      tool_name: 'send_sms',
      description: 'd',
      sms_content_type: 'static',
      sms_static_message: 'm',
      telco_account_sid: 'a',
      telco_auth_token: 't',
      telco_from_number: from,
      timeout_seconds: 30,
    }),
    updateNativeTool: () => ({
      description: 'd',
      sms_content_type: 'static',
      sms_static_message: 'm',
      telco_account_sid: 'a',
      telco_auth_token: 't',
      telco_from_number: from,
      timeout_seconds: 30,
      transfer_call_mode: 'static',
      transfer_call_destination: from,
      transfer_call_type: 'cold',
    }),
    listTools: () => ({ agent_id: agentId, page: 1, size: 10, search: 'a', is_native: true }),
    createKnowledgeBase: () => ({ name: 'k' }),
    addDocument: () => ({ title: 't', text: 'Some words.' }),
    searchKnowledgeBase: () => ({ query: 'words', limit: 5 }),
    connectSipNumber: () => ({
      phone_number: ownNumber(),
      termination_uri: 'sip.example.com:5060',
      transport: 'udp',
      sip_trunk_auth_username: 'u',
      sip_trunk_auth_password: 'p',
      nickname: 'n',
      inbound_agent_id: agentId,
      outbound_agent_id: agentId,
      max_cps: 1,
      inbound_webhook_url: 'https://example.com/in',
    }),
    importTelcoNumber: () => ({
      phone_number: ownNumber(),
      telco_account_sid: `AC${'a'.repeat(32)}`,
      telco_auth_token: 'b'.repeat(32),
      nickname: 'n',
      inbound_agent_id: agentId,
      outbound_agent_id: agentId,
      max_cps: 1,
    }),
    listPhoneNumbers: () => ({ page: 1, size: 10, search: '1' }),
    updatePhoneNumber: () => ({
      inbound_agent_id: agentId,
      outbound_agent_id: agentId,
      max_cps: 1,
      inbound_webhook_url: null,
    }),
    createPhoneCall: () => ({
      to_number: '+12025550005',
      from_number: from,
      agent_id: agentId,
      dynamic_variables: {},
      dynamicVariables: {},
      metadata: {},
    }),
    createWebCall: () => ({ agent_id: agentId, dynamic_variables: {}, metadata: {} }),
    createWidgetCall: () => ({ agent_id: agentId, dynamic_variables: {}, metadata: {} }),
    sendWebCallMessage: () => ({ text: 'Hello' }),
    offerWebCall: () => ({ sdp: 'v=0', participant: 'Yk3mVvYf0b6bUe2sX9aQ1w' }),
    callIn: () => ({ from_number: '+12025550123', to_number: from, script: ['Hello'] }),
    addToDoNotCall: () => ({ phone_numbers: ['+12025550199'] }),
    resendCallWebhooks: () => ({ events: ['call_started'], only_failed: true }),
    signIn: () => ({ email: 'a@example.org', password: 'x', workspace_id: agentId }),
    pickWorkspace: () => ({ workspace_id: agentId }),
    mailPasswordReset: () => ({ email: 'a@example.org' }),
    resetPassword: () => ({ token: 'x', password: 'one that is long enough' }),
    confirmAddress: () => ({ token: 'x' }),
    finishSignIn: () => ({ code: '000000' }),
    testAssistant: testTurn,
    streamAssistantTest: testTurn,
    testTool: () => ({ agent_id: agentId, tool_id: randomUUID(), arguments: {}, dynamic_variables: {} }),
    signInByLink: () => ({ token: 'x' }),
    beginSecondFactor: () => ({ password: 'wrong' }),
    enableSecondFactor: () => ({ code: '000000' }),
    renewRecoveryCodes: () => ({ password: 'wrong', code: '000000' }),
    disableSecondFactor: () => ({ password: 'wrong', code: '000000' }),
    changePassword: () => ({ current_password: 'wrong', new_password: 'one that is long enough' }),
    inviteMember: () => ({ email: `${randomUUID()}@example.org`, role: 'viewer' }),
    changeMember: () => ({ role: 'viewer' }),
    readInvitation: () => ({ token: 'x' }),
    acceptInvitation: () => ({ token: 'x', password: 'one that is long enough' }),
    createKey: () => ({
      name: 'k',
      type: 'public',
      expires_at: null,
      allowed_origins: ['https://shop.example.com'],
      variables: ['name'],
      calls_per_minute: 60,
      max_live_calls: 1,
      max_call_duration: 60,
      agent_ids: null,
    }),
    changeKey: () => ({ name: 'k', read_only: true, allowed_networks: ['10.0.0.0/8'], agent_ids: null }),
    updateWorkspace: () => ({
      name: 'Acme',
      time_zone: 'Europe/Zurich',
      allowed_destinations: ['+1', '+49'],
      daily_spend_limit_cents: 1_000_000,
      retain_calls_days: 365,
    }),
    createErasure: () => ({ phone_number: `+1666${randomInt(1e6, 1e7)}`, keep_do_not_call: true }),
    testWebhookEndpoint: () => ({ url: `${server.url}/hook` }),
    listCalls: () => ({
      page: 1,
      size: 10,
      call_types: ['web'],
      agent_ids: [agentId],
      campaign_ids: [agentId],
      from_numbers: [from],
      to_number: '1',
      call_id: agentId,
      created_after: '2026-01-01T00:00:00Z',
      created_before: '2026-01-02T00:00:00+01:00',
      duration_min: 0,
      duration_max: 1,
      cost_min: 0,
      cost_max: 1,
      disconnection_reasons: ['timeout'],
    }),
    createCampaign: () => ({
      campaign_name: 'c',
      agent_id: agentId,
      phone_number: from,
      contacts: [{ phone_number: '+12025550123', contact_name: 'n', custom_data: {} }],
      max_retries: 1,
      retry_intervals: [1],
      scheduled_at: '2099-01-01T00:00:00Z',
      business_hours: { tz: 'Europe/Zurich', days: [1], windows: [{ start: 0, end: 1 }] },
      skip_duplicates: true,
    }),
    appendContacts: () => ({
      contacts: [{ phone_number: '+12025550123', contact_name: 'n', custom_data: {} }],
      skip_duplicates: true,
    }),
  };
}

const deep = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

const WRONG: Record<string, unknown> = {
  null: null,
  zero: 0,
  negative: -1,
  fraction: 0.5,
  huge: 1e308,
  empty: '',
  blank: ' ',
  NUL: '\u0000',
  'lone surrogate': '\ud800',
  word: 'x',
  'long text': 'x'.repeat(120_000),
  'SQL and patterns': `%_\\'; DROP TABLE calls; --`,
  list: [],
  'list of nulls': [null],
  'list of words': ['x', 'x'],
  'long list': Array.from({ length: 101 }, () => randomUUID()),
  object: {},
  prototype: JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}'),
  true: true,
  deep: deep(200),
};

const KINDS_APART = 3;

/** Every endpoint gets every kind, and every field a third of them; all kinds in a full run. */
function isTried(kind: number, field: number, fields: number): boolean {
  return everyCase || (kind + field) % Math.min(KINDS_APART, fields) === 0;
}

/** The answers that a client may get for nonsense. A page past the last one is the contract's own 500. */
function isDecent(status: number, code: string | undefined): boolean {
  return (
    (status >= 200 && status < 300) ||
    (status >= 400 && status < 500) ||
    (status === 500 && code === 'INTERNAL_ERROR')
  );
}

const withBody = publicEndpoints.filter((endpoint) => endpoint.body !== undefined);

const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') === true;

function pathOf(endpoint: AnyEndpoint, id: string): string {
  return endpoint.path.replace(':id', id);
}

// Before nonsense is sent: what a good body creates may be there once only.
describe('[general.20] every creating POST supports Idempotency-Key, or documents that it does not', () => {
  const creating = publicEndpoints.filter(
    ({ method, status, idempotent }) => method === 'POST' && (status === 201 || idempotent),
  );

  it.each(creating.map((endpoint) => [`POST ${endpoint.path}`, endpoint] as const))(
    '%s',
    async (_name, endpoint) => {
      if (!endpoint.idempotent)
        return expect(endpoint.description).toContain('`Idempotency-Key` is not supported');
      const body = bodies[endpoint.id]?.() ?? {};
      const headers = { ...credentials(endpoint, platform, session), 'content-type': 'application/json' };
      const key = randomUUID();
      const path = pathOf(endpoint, existing[endpoint.id] ?? randomUUID());
      const ask = async (sent: object, idempotencyKey: string) => {
        const response = await fetch(platform.url + path, {
          method: 'POST',
          headers: { ...headers, 'idempotency-key': idempotencyKey },
          body: JSON.stringify(sent),
        });
        return {
          status: response.status,
          text: await response.text(),
          isReplayed: response.headers.get('idempotent-replayed') === 'true',
        };
      };
      const first = await ask(body, key);
      expect({ ...first, text: first.text.slice(0, 200) }).toMatchObject({
        status: endpoint.status,
        isReplayed: false,
      });
      expect(await ask(body, key)).toEqual({ ...first, isReplayed: true });
      // A route without a body doesn't read one.
      if (endpoint.body !== undefined) {
        const other = await ask({ ...body, another: true }, key);
        expect([other.status, JSON.parse(other.text).error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      }
      const insane = await ask(body, 'a b');
      expect([insane.status, JSON.parse(insane.text).error.code]).toEqual([422, 'VALIDATION_FAILED']);
    },
  );
});

describe.each(withBody.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, endpoint) => {
    const send = (body: string, headers: Record<string, string> = {}) =>
      fetch(platform.url + pathOf(endpoint, existing[endpoint.id] ?? randomUUID()), {
        method: endpoint.method,
        headers: {
          ...credentials(endpoint, platform, session),
          'content-type': 'application/json',
          ...headers,
        },
        body,
      });

    it('an invalid value in any field is a 4xx whose message contains the field, never an unexpected 500', async () => {
      const make = bodies[endpoint.id];
      if (!make) throw new Error(`${endpoint.id} has no example here`);
      const ask = async (field: string, kind: string, value: unknown): Promise<void> => {
        const response = await send(JSON.stringify({ ...make(), [field]: value }));
        // A good value may be answered by a stream of lines.
        const text = await response.text();
        const body = (isJson(response) ? JSON.parse(text) : {}) as {
          error?: {
            code: string;
            message: string;
            details?: { path: string; code: string; message: string }[];
          };
        };
        const where = `${field} as ${kind}: ${response.status} ${JSON.stringify(body).slice(0, 300)}`;
        const isPage = field === 'page' && kind === 'huge';
        if (!isDecent(response.status, body.error?.code) || (response.status === 500 && !isPage))
          throw new Error(where);
        if (response.status !== 422 || body.error?.code !== 'VALIDATION_FAILED') return;
        const [first] = body.error.details ?? [];
        if (!first?.message || !body.error.message.includes(field)) throw new Error(where);
      };
      const fields = Object.keys(make());
      for (const [index, field] of fields.entries()) {
        const kinds = Object.entries(WRONG).filter((_, kind) => isTried(kind, index, fields.length));
        await Promise.all(kinds.map(([kind, value]) => ask(field, kind, value)));
      }
    }, 120_000);

    it('a body that is not a JSON object is 422 VALIDATION_FAILED', async () => {
      for (const text of ['nonsense', '[]', '"text"', '1', 'null', '{"a":', '{"a":1}}']) {
        const response = await send(text);
        const { error } = (await response.json()) as { error?: { code: string } };
        expect([text, response.status, error?.code]).toEqual([text, 422, 'VALIDATION_FAILED']);
      }
    });
  },
);

const withId = publicEndpoints.filter(({ path }) => path.includes(':id'));

describe('a malformed id in the path', () => {
  it.each(withId.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '[general.13] %s answers as its route says',
    async (_name, endpoint) => {
      const { status, body } = await platform.api.request(
        endpoint.method,
        pathOf(endpoint, 'nope'),
        endpoint.body ? {} : undefined,
        credentials(endpoint, platform, session),
      );
      const expected = endpoint.badIdCode ? [404, endpoint.badIdCode] : [422, 'VALIDATION_FAILED'];
      expect([status, body.error.code]).toEqual(expected);
    },
  );
});

describe('after all of this', () => {
  it('every existing assistant, number and campaign is complete', async () => {
    const { api } = platform;
    for (const path of ['/v1/assistant/list', '/v1/phone-number/list']) {
      const { status, body } = await api.request('POST', path, { size: 100 });
      expect([status, body.success]).toEqual([200, true]);
    }
    const { body } = await api.request('GET', '/v1/campaigns?limit=100');
    for (const { campaign_id, total_contacts } of body.data) {
      const contacts = await api.request('GET', `/v1/campaigns/${campaign_id}/contacts`);
      expect(contacts.body.pagination.total).toBe(total_contacts);
    }
  });
});
