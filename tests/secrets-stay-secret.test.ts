import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES } from '@parley/devstack';
import { exchangeName } from '@parley/kit/amqp';
import { amqpUrl, eventually, type Receiver, receiver, redisUrl } from '@parley/testkit';
import { bootPlatform, createApi, type Platform, type Workspace } from '@parley/testkit/stage';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { createCanaries, type Found } from './platform/canaries.ts';
import { ownNumber } from './platform/fixtures.ts';
import { fillWithPeople } from './platform/people-with-secrets.ts';

// Secrets of every kind go through all five services, in valid requests and in those that end in errors; then everything that
// the platform has stored, published or logged is searched for them.

const LEAST = 60;
const LONG = { timeoutMs: 60_000, everyMs: 200 };
/** The head of every token between services. */
const INTERNAL_TOKEN = Buffer.from('{"alg":"EdDSA","typ":"JWT","kid":').toString('base64url');

const canaries = createCanaries();
let platform: Platform;
let server: Receiver;
let ear: { messages: string[]; close(): Promise<void> };
/** The responses of the API without the secrets that they return on purpose. */
const answers: string[] = [];
let workspace: Workspace;

const accountsOfSpeech = (): Record<string, string> => {
  const names = ['ELEVENLABS_API_KEY', 'CARTESIA_API_KEY', 'GOOGLE_API_KEY', 'AZURE_SPEECH_KEY'];
  const list = [
    { name: 'flite', type: 'flite' },
    { name: 'elevenlabs', type: 'elevenlabs' },
    { name: 'cartesia', type: 'cartesia' },
    { name: 'google', type: 'google' },
    { name: 'deepgram', type: 'deepgram', api_key: canaries.add('key of SPEECH_PROVIDERS') },
  ];
  return {
    ...Object.fromEntries(names.map((name) => [name, canaries.add(name)])),
    SPEECH_PROVIDERS: JSON.stringify(list),
    PATH: process.env.PATH ?? '',
  };
};

beforeAll(async () => {
  server = await receiver();
  const openai = canaries.add('OPENAI_API_KEY');
  platform = await bootPlatform({
    clockRate: 20,
    env: {
      LOG_LEVEL: 'trace',
      MODEL_PROVIDERS: 'builtin,openai',
      OPENAI_API_KEY: openai,
      OPENAI_BASE_URL: `${server.url}/v1`,
      OPENAI_MODEL: 'a-model',
      ...accountsOfSpeech(),
    },
  });
  ear = await listen(platform.inside.telephony.env.AMQP_PREFIX ?? '');
  knowEnvironment();
  workspace = platform.workspace;
  knowWorkspace('first', workspace);
  for (const name of ['second', 'third']) {
    knowWorkspace(name, await platform.createWorkspace(name));
  }
  for (const type of ['private', 'public']) {
    const made = await platform.parley(
      'key',
      'create',
      '--workspace',
      workspace.workspace_id,
      '--type',
      type,
    );
    canaries.know(`another ${type} key`, (made as { key: string }).key);
  }
});

afterAll(async () => {
  await ear?.close();
  await platform?.stop();
  await server.close();
});

function knowEnvironment(): void {
  for (const [service, { env }] of Object.entries(platform.inside)) {
    for (const name of ['INTERNAL_SIGNING_KEYS', 'KEY_PEPPER', 'RECORDING_URL_SECRET'])
      canaries.know(`${name} of ${service}`, env[name]);
    for (const key of (env.ENCRYPTION_KEYS ?? '').split(','))
      canaries.know(`encryption key of ${service}`, key.split(':')[1]);
    for (const name of ['DATABASE_URL', 'AMQP_URL', 'REDIS_URL'])
      if (env[name]) canaries.know(`password in ${name} of ${service}`, new URL(env[name]).password);
  }
}

function knowWorkspace(name: string, made: Workspace): void {
  canaries.know(`private key of the ${name} workspace`, made.private_key);
  canaries.know(`public key of the ${name} workspace`, made.public_key);
  canaries.know(`webhook secret of the ${name} workspace`, made.webhook_secret);
}

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const { request } = createApi(platform.url, workspace.private_key);
  const answer = await request(method, path, body, headers);
  const { access_token, ...shown } = answer.body?.data ?? {};
  if (access_token) canaries.know(`access token ${canaries.count()}`, access_token);
  const rest = access_token ? { ...answer.body, data: shown } : answer.body;
  answers.push(JSON.stringify([answer.status, [...answer.headers], rest ?? null]));
  return { status: answer.status, data: answer.body?.data, token: access_token };
}

/** Every published message as it is on the wire. */
async function listen(prefix: string) {
  const connection = await connect(amqpUrl());
  const channel = await connection.createChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, exchangeName(prefix), '#');
  const messages: string[] = [];
  const keep = (message: { content: Buffer; properties: unknown } | null) => {
    if (message) messages.push(JSON.stringify(message.properties) + message.content.toString('utf8'));
  };
  await channel.consume(queue, keep, { noAck: true });
  return { messages, close: () => connection.close() };
}

const hex32 = (name: string): string => {
  const value = randomBytes(16).toString('hex');
  canaries.know(name, value);
  return value;
};

/** 30 bytes in base64, the canary among them. */
const ownSecret = (name: string): string => `whsec_${canaries.add(name)}AA`;

/** An assistant whose tools, numbers and calls hold secrets. */
async function fill(): Promise<string[]> {
  const settings = { webhookUrl: `${server.url}/hook`, maxCallDuration: 300 };
  const { data: assistant } = await ask('POST', '/v1/assistant', {
    ...{ agent_name: 'Ada', config: { settings } },
    webhook_secret: ownSecret('own secret of the assistant'),
  });
  const agent_id = assistant.id;
  await ask('PATCH', `/v1/assistant/${agent_id}`, {
    webhook_secret: ownSecret('next secret of the assistant'),
  });
  await ask('PATCH', `/v1/assistant/${agent_id}`, {
    webhook_secret: `${ownSecret('refused secret of the assistant')}!`,
  });
  const openai = { model: { provider: 'openai' }, settings };
  const { data: modelled } = await ask('POST', '/v1/assistant', { agent_name: 'Grace', config: openai });
  server.script('/v1/chat/completions', { status: 500, body: { error: { message: 'no' } } });

  const paths = { good: '/tool', broken: '/broken', elsewhere: '/elsewhere', gone: '/gone' };
  server.script('/tool', { body: { ok: true } });
  server.script('/broken', { status: 500, body: 'no' });
  server.script('/elsewhere', { redirect: 'http://10.0.0.1/', status: 307 });
  server.script('/gone', { fault: 'reset' });
  const headersOf = (name: string) => ({
    authorization: `Bearer ${canaries.add(`authorization of the ${name} tool`)}`,
    'x-api-key': canaries.add(`x-api-key of the ${name} tool`),
    'x-other': canaries.add(`x-other of the ${name} tool`),
  });
  for (const [name, path] of Object.entries(paths)) {
    const { data: tool } = await ask('POST', '/v1/tool/custom', {
      ...{ agent_id, tool_name: `${name}_tool`, description: 'd', http_method: 'post' },
      ...{ endpoint_url: server.url + path, headers: headersOf(name) },
      webhook_secret: ownSecret(`own secret of the ${name} tool`),
    });
    await ask('PUT', `/v1/tool/custom/${tool.id}`, { headers: headersOf(`changed ${name}`) });
    await ask('PUT', `/v1/tool/custom/${tool.id}`, {
      webhook_secret: ownSecret(`next secret of the ${name} tool`),
    });
    await ask('GET', `/v1/tool/${tool.id}`);
    // Rejected requests that contain a secret besides the invalid field.
    await ask('PUT', `/v1/tool/custom/${tool.id}`, {
      headers: headersOf(`refused ${name}`),
      timeout_seconds: -1,
    });
  }
  const sms = { sms_content_type: 'static', sms_static_message: 'm', telco_from_number: '+12025550100' };
  await ask('POST', '/v1/tool/native', {
    ...{ agent_id, tool_name: 'send_sms', ...sms, telco_account_sid: `AC${'a'.repeat(32)}` },
    telco_auth_token: canaries.add('token of the SMS tool'),
  });
  await ask('POST', '/v1/tool/list', { agent_id });

  const sip = (password: object) => ({
    ...{
      phone_number: ownNumber(),
      termination_uri: 'sip.example.com',
      outbound_agent_id: agent_id,
      max_cps: 50,
    },
    ...password,
  });
  const { data: number } = await ask(
    'POST',
    '/v1/phone-number/sip',
    sip({
      sip_trunk_auth_username: 'someone',
      sip_trunk_auth_password: canaries.add('password of the trunk'),
    }),
  );
  await ask('POST', '/v1/phone-number/sip', sip({ sip_trunk_auth_password: canaries.add('password alone') }));
  const telco = { telco_account_sid: `AC${'b'.repeat(32)}`, outbound_agent_id: agent_id };
  for (const name of ['good', 'refused']) {
    const phone_number = name === 'good' ? ownNumber() : 'no number';
    await ask('POST', '/v1/phone-number/telco', {
      ...telco,
      phone_number,
      telco_auth_token: hex32(`${name} token`),
    });
  }
  await ask('POST', '/v1/phone-number/list', {});

  // Credentials in wrong places, and unknown ones.
  const path = '/v1/assistant/list';
  await ask('POST', path, {}, { 'x-api-key': canaries.add('key in another header') });
  await ask('POST', path, {}, { authorization: `Bearer svc_${canaries.add('unknown key')}` });
  await ask('POST', path, {}, { authorization: `Basic ${canaries.add('password of another scheme')}` });
  await ask('POST', path, {}, { 'x-parley-internal': canaries.add('forged internal token') });
  await ask('POST', path, {}, { cookie: `session=${canaries.add('session')}` });
  await ask('GET', `/v1/voice?api_key=${canaries.add('key in a query')}`);

  const call = { from_number: number.phone_number };
  const placed = ['0010', '4242'].map((ending) => ({ ...call, to_number: `+1202555${ending}` }));
  const talking = { ...call, to_number: '+12025554343', agent_id: modelled.id };
  const ids: string[] = [];
  for (const body of [...placed, talking]) ids.push((await ask('POST', '/v2/call', body)).data.id);
  for (let i = 0; i < 3; i += 1) {
    const { token } = await ask('POST', '/v2/call/web', { agent_id });
    const headers = { 'x-access-token': String(token) };
    for (const what of ['join', 'leave']) await ask('POST', `/widget/session/${what}`, undefined, headers);
    await ask('GET', '/widget/session/messages', undefined, headers);
  }
  return ids;
}

/** A call to a service that has just died fails, and its caller logs the request. */
async function breakThings(callId: string): Promise<void> {
  for (const service of ['assistants', 'telephony', 'gateway'] as const) {
    await platform.kill(service);
    await Promise.all(
      ['/v1/voice', `/v2/call/${callId}`, `/v2/call/${callId}/webhooks`, '/v1/campaigns'].map((path) =>
        ask('GET', path).catch(() => undefined),
      ),
    );
  }
  await eventually(async () => expect((await ask('GET', '/v1/voice')).status).toBe(200), LONG);
}

async function everyTable(): Promise<[place: string, text: string][]> {
  const tables: [string, string][] = [];
  for (const service of SERVICES) {
    const names = await platform.query<{ name: string }>(
      service,
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of names) {
      const rows = await platform.query<{ row: string }>(service, `SELECT t::text AS row FROM ${name} t`);
      tables.push([`${service}: ${name}`, rows.map(({ row }) => row).join('\n')]);
    }
  }
  return tables;
}

async function everyKeyOfRedis(): Promise<string> {
  const redis = new Redis(redisUrl());
  try {
    const keys = await redis.keys(`${platform.inside.gateway.env.REDIS_PREFIX}*`);
    const values = await Promise.all(keys.map((key) => redis.dump(key)));
    return keys.map((key, i) => `${key} ${String(values[i])}`).join('\n');
  } finally {
    redis.disconnect();
  }
}

describe('secrets', () => {
  it(`at least ${LEAST} of them are in no log, response, table, Redis key, message or webhook`, async () => {
    const ids = await fill();
    await fillWithPeople({ platform, canaries, answers });
    // The last one's model is broken, and with it the analysis, which is tried for hours.
    const [withModel = '', ...others] = [...ids].reverse();
    await eventually(() => {
      const wasDelivered = (event: string, id: string) =>
        server.requests('/hook').some(({ body }) => body.includes(event) && body.includes(id));
      expect(others.filter((id) => !wasDelivered('call_analyzed', id))).toEqual([]);
      expect(wasDelivered('call_ended', withModel)).toBe(true);
    }, LONG);
    const [used = ''] = ids;
    // Requests to tools do contain their secrets, which shows that the search works.
    expect(canaries.findIn('tools', JSON.stringify(server.requests('/tool')))).not.toEqual([]);
    for (const id of ids) {
      const { data } = await ask('GET', `/v2/call/${id}`);
      if (data.recording_url)
        canaries.know(`link of ${id}`, new URL(data.recording_url).pathname.split('/').at(-1));
      for (const what of ['timeline', 'webhooks']) await ask('GET', `/v2/call/${id}/${what}`);
      if (data.recording_url) await fetch(data.recording_url).then((response) => response.arrayBuffer());
    }
    await breakThings(used);
    expect(canaries.count()).toBeGreaterThanOrEqual(LEAST);

    const logs = await platform.logs();
    for (const service of SERVICES) expect(logs).toContain(`"service":"${service}"`);
    const tables = await everyTable();
    expect(tables.length).toBeGreaterThan(20);
    expect(ear.messages.length).toBeGreaterThan(10);
    const hooks = server.requests('/hook').map(({ headers, body }) => JSON.stringify(headers) + body);
    // Links to recordings are allowed in responses, events and webhooks, and nowhere else.
    const links = ids.map((id) => `link of ${id}`);
    const found: Found[] = [
      ...canaries.findIn('logs', logs),
      ...canaries.findIn('answers', answers.join('\n'), links),
      ...tables.flatMap(([place, text]) => canaries.findIn(place, text, links)),
      ...canaries.findIn('redis', await everyKeyOfRedis()),
      ...canaries.findIn('messages', ear.messages.join('\n'), links),
      ...canaries.findIn('webhooks', hooks.join('\n'), links),
    ];
    expect(found).toEqual([]);
    for (const [place, text] of [['logs', logs], ...tables, ['answers', answers.join('\n')]] as const)
      expect([place, text.includes(INTERNAL_TOKEN)]).toEqual([place, false]);
  }, 150_000);
});
