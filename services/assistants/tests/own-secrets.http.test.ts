import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import { findings, type Harness, type HttpAnswer, type Json, newWorkspace, startHarness } from './harness.ts';

// Own signing secrets of assistants and tools [webhooks.7] [trust.11].

const MASK = '********';
const HOOKS = 'https://example.com/hooks';
const ELSEWHERE = ['https://example.org/hooks', 'http://example.com/hooks', 'https://example.com:8443/hooks'];

let service: Harness;
const workspace = newWorkspace();
const logged: string[] = [];
const made: string[] = [];
const answers: string[] = [];

beforeAll(async () => {
  const destination = { write: (line: string) => void logged.push(line) };
  const log = createLogger({ service: 'assistants', level: 'trace', destination });
  service = await startHarness({ OUTBOUND_ALLOW_HOSTS: 'example.com' }, log);
});
afterAll(() => service.close());

function newSecret(bytes = 32): string {
  const secret = randomBytes(bytes).toString('base64');
  made.push(secret);
  return `whsec_${secret}`;
}

const ask = async (method: string, path: string, body?: Json): Promise<HttpAnswer> => {
  const answer = await service.ask(workspace, method, path, { body });
  answers.push(answer.text);
  return answer;
};
const assistant = {
  add: async (fields: Json = {}, url: string | null = HOOKS) =>
    ask('POST', '/v1/assistant', {
      ...{ agent_name: 'Ada', config: { settings: { webhookUrl: url } } },
      ...fields,
    }),
  change: (id: string, body: Json) => ask('PATCH', `/v1/assistant/${id}`, body),
  replace: (id: string, body: Json) => ask('PUT', `/v1/assistant/${id}`, body),
  secrets: async (id: string): Promise<Json[]> => {
    const path = '/internal/assistants/webhook-secrets';
    const { body } = await service.callAsService(workspace, 'POST', path, { agent_ids: [id] });
    return body.data[0].webhook_secrets;
  },
};
const tool = {
  add: (agent_id: string, fields: Json = {}) =>
    ask('POST', '/v1/tool/custom', {
      ...{ agent_id, tool_name: 'find', endpoint_url: 'https://example.com/find', http_method: 'POST' },
      ...fields,
    }),
  change: (id: string, body: Json) => ask('PUT', `/v1/tool/custom/${id}`, body),
  secrets: async (agentId: string): Promise<Json[]> => {
    const path = `/internal/assistants/${agentId}/snapshot`;
    const { body } = await service.callAsService(workspace, 'GET', path);
    return body.data.snapshot.tools.find((one: Json) => one.tool_name === 'find').webhook_secrets;
  },
};
const to = (webhookUrl: string | null) => ({ config: { settings: { webhookUrl } } });

describe('webhook_secret of an assistant', () => {
  it('is set, replaced with an overlap of a day, and removed; responses show whether one is set [assistants.19]', async () => {
    const [first, second] = [newSecret(24), newSecret(64)];
    const { body } = await assistant.add({ webhook_secret: first });
    const { id } = body.data;
    expect(body.data.webhook_secret).toBe(MASK);
    expect(body.data.config).not.toHaveProperty('webhook_secret');
    expect(await assistant.secrets(id)).toEqual([{ secret: first, expires_at: null }]);

    const replaced = await assistant.change(id, { webhook_secret: second });
    expect([replaced.status, replaced.body.data.webhook_secret]).toEqual([200, MASK]);
    const [current, previous] = await assistant.secrets(id);
    expect([current, previous.secret]).toEqual([{ secret: second, expires_at: null }, first]);
    const hours = (Date.parse(previous.expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);

    // None of these changes anything.
    for (const webhook_secret of [MASK, second]) {
      const same = await assistant.replace(id, { webhook_secret });
      expect(same.body.data).toEqual(replaced.body.data);
    }
    const renamed = await assistant.change(id, { agent_name: 'Grace' });
    expect(renamed.body.data.webhook_secret).toBe(MASK);
    expect((await assistant.secrets(id)).length).toBe(2);

    const removed = await assistant.change(id, { webhook_secret: null });
    expect(removed.body.data.webhook_secret).toBeNull();
    expect(await assistant.secrets(id)).toEqual([]);
    expect((await ask('GET', `/v1/assistant/${id}`)).body.data.webhook_secret).toBeNull();
    const entries = () =>
      service.bus
        .received('audit.recorded')
        .flatMap(({ data }) => (data.target.id === id ? [data.changes] : []));
    await eventually(() =>
      expect(entries()).toEqual([
        { webhook_secret: { from: null, to: MASK } },
        { webhook_secret: { from: MASK, to: MASK } },
        { webhook_secret: { from: MASK, to: null } },
      ]),
    );
  });

  it.each(ELSEWHERE)('must be sent again when the webhooks move to %s', async (url) => {
    const { id } = (await assistant.add({ webhook_secret: newSecret() })).body.data;
    const before = await assistant.secrets(id);
    for (const change of [to(url), { ...to(url), webhook_secret: MASK }]) {
      expect(findings(await assistant.change(id, change))).toEqual(['webhook_secret required']);
      expect(findings(await assistant.replace(id, change))).toEqual(['webhook_secret required']);
    }
    expect(await assistant.secrets(id)).toEqual(before);
    const secret = newSecret();
    expect((await assistant.change(id, { ...to(url), webhook_secret: secret })).status).toBe(200);
    // The previous secret does not sign there.
    expect(await assistant.secrets(id)).toEqual([{ secret, expires_at: null }]);
  });

  it('may be kept if the URL does not move, may be removed, and is required again after a time without a URL', async () => {
    const { id } = (await assistant.add({ webhook_secret: newSecret() })).body.data;
    expect((await assistant.change(id, to('https://EXAMPLE.com:443/other'))).status).toBe(200);
    expect((await assistant.change(id, to(null))).status).toBe(200);
    expect(findings(await assistant.change(id, to(HOOKS)))).toEqual(['webhook_secret required']);
    expect((await assistant.change(id, { ...to(HOOKS), webhook_secret: null })).status).toBe(200);
    expect((await assistant.change(id, to('https://example.org/hooks'))).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['no prefix', 'A'.repeat(44)],
    ['23 bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['65 bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['no base64', `whsec_${'-'.repeat(44)}`],
    ['no padding', `whsec_${'A'.repeat(43)}`],
    ['a number', 7],
  ])('is refused with %s', async (_, webhook_secret) => {
    const { status, body } = await assistant.add({ webhook_secret });
    expect([status, body.error.details[0].path]).toEqual([422, 'webhook_secret']);
  });

  it('rejects a mask without a stored secret', async () => {
    expect((await assistant.add({ webhook_secret: MASK })).status).toBe(422);
    const { id } = (await assistant.add()).body.data;
    const change = await assistant.change(id, { webhook_secret: MASK });
    expect(findings(change)).toEqual(['webhook_secret not_allowed']);
    expect(await assistant.secrets(id)).toEqual([]);
  });
});

describe('webhook_secret of a custom tool', () => {
  it('is set, kept, replaced, and removed; responses show whether one is set', async () => {
    const { id: agentId } = (await assistant.add()).body.data;
    const [first, second] = [newSecret(), newSecret()];
    const { body } = await tool.add(agentId, { webhook_secret: first });
    const { id } = body.data;
    expect(body.data.webhook_secret).toBe(MASK);
    expect((await tool.change(id, { webhook_secret: MASK })).body.data.webhook_secret).toBe(MASK);
    expect((await tool.change(id, { description: 'Finds' })).status).toBe(200);
    expect(await tool.secrets(agentId)).toEqual([{ secret: first, expires_at: null }]);
    expect((await tool.change(id, { webhook_secret: second })).status).toBe(200);
    expect((await tool.secrets(agentId)).map(({ secret }) => secret)).toEqual([second, first]);
    expect((await tool.change(id, { webhook_secret: null })).body.data.webhook_secret).toBeNull();
    expect(await tool.secrets(agentId)).toEqual([]);
    expect(findings(await tool.change(id, { webhook_secret: MASK }))).toEqual(['webhook_secret not_allowed']);
    const masked = await tool.add(agentId, { tool_name: 'other', webhook_secret: MASK });
    expect(masked.status).toBe(422);
  });

  it('must be sent again, with the headers, when endpoint_url moves [tools.22] [tools.24]', async () => {
    const { id: agentId } = (await assistant.add()).body.data;
    const secrets = { webhook_secret: newSecret(), headers: { 'X-Key': 'one' } };
    const { id } = (await tool.add(agentId, secrets)).body.data;
    const move = { endpoint_url: 'https://example.org/find' };
    expect(findings(await tool.change(id, move))).toEqual([
      'headers.X-Key required',
      'webhook_secret required',
    ]);
    expect(findings(await tool.change(id, { ...move, headers: null, webhook_secret: MASK }))).toEqual([
      'webhook_secret required',
    ]);
    const secret = newSecret();
    const moved = await tool.change(id, { ...move, headers: null, webhook_secret: secret });
    expect(moved.status).toBe(200);
    expect(await tool.secrets(agentId)).toEqual([{ secret, expires_at: null }]);
    expect(
      (await tool.change(id, { endpoint_url: 'https://example.com/a', webhook_secret: null })).status,
    ).toBe(200);
  });
});

it('own secrets are never returned, logged, sent to other services, or stored unsealed', async () => {
  const { id } = (await assistant.add({ webhook_secret: newSecret() })).body.data;
  await tool.add(id, { webhook_secret: newSecret() });
  await assistant.add({ webhook_secret: `${newSecret()}=` });
  await eventually(() =>
    expect(service.bus.received('assistant.updated').some(({ data }) => data.agent_id === id)).toBe(true),
  );
  const tables = ['assistants', 'tools', 'outbox', 'inbox', 'idempotency_keys'];
  const rows = await Promise.all(
    tables.map((table) => service.sql.$queryRaw<Json[]>`SELECT t::text AS row FROM ${raw(table)} t`),
  );
  const messages = [...service.bus.received('assistant.updated'), ...service.bus.received('audit.recorded')];
  const everything = JSON.stringify([answers, logged, rows, messages]);
  expect(made.length).toBeGreaterThan(10);
  for (const secret of made) expect(everything).not.toContain(secret);
});
