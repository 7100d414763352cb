import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Prisma } from '../src/generated/prisma/client.ts';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

let service: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
});
afterAll(() => service.close());

describe('POST /internal/assistants/briefs', () => {
  const briefs = async (agent_ids: string[]): Promise<Json> =>
    (await service.callAsService(workspace, 'POST', '/internal/assistants/briefs', { agent_ids })).body.data;

  it("returns the existing ones of the caller's workspace", async () => {
    const webhookUrl = 'https://example.com/hooks';
    const ours = await service.addAssistant(workspace, { settings: { webhookUrl } });
    const foreign = await service.addAssistant(newWorkspace());
    expect(await briefs([ours.id.toUpperCase(), foreign.id, randomUUID()])).toEqual([
      { agent_id: ours.id, agent_name: 'Ada', version: 1, webhook_url: webhookUrl },
    ]);
    expect(await briefs([])).toEqual([]);
  });

  it('is closed to clients', async () => {
    expect((await service.post(workspace, '/internal/assistants/briefs', { agent_ids: [] })).status).toBe(
      403,
    );
  });
});

describe('GET /internal/assistants/{id}/snapshot', () => {
  const snapshot = (id: string, query = '') =>
    service.callAsService(workspace, 'GET', `/internal/assistants/${id}/snapshot${query}`);

  it('returns the configuration and the tools in use in their order, with decrypted secrets', async () => {
    const { id, config } = await service.addAssistant(workspace, {
      model: { provider: 'builtin', name: 'scripted-1' },
      nativeTools: {
        transfer_call: { enabled: true, mode: 'dynamic' },
        send_sms: { enabled: true, smsContentType: 'static', smsStaticMessage: 'Hello' },
      },
    });
    const tool = await service.addTool(workspace, id, {
      headers: JSON.parse('{"X-Key":"opened","__proto__":"data"}'),
      tool_behavior: null,
    });
    const { status, text, body } = await snapshot(id);
    expect(status).toBe(200);
    expect(body.data.version).toBe(2);
    expect(body.data.snapshot).toMatchObject({
      agent_id: id,
      agent_name: 'Ada',
      version: 2,
      webhook_url: null,
    });
    expect(body.data.snapshot.config).toEqual({ ...config, toolIds: [...config.toolIds, tool.id] });
    const { tools } = body.data.snapshot;
    expect(tools.map((used: Json) => used.tool_name)).toEqual([
      'end_call',
      'transfer_call',
      'send_sms',
      'book_table',
    ]);
    expect(text).toContain('"headers":{"X-Key":"opened","__proto__":"data"}');
    expect(tools[3]).toMatchObject({
      is_native: false,
      tool_behavior: 'blocking',
      result_scheduling: 'when_idle',
      timeout_seconds: 30,
      native: null,
    });
    expect(tools[1].native).toMatchObject({ transfer_call_mode: 'dynamic', transfer_call_type: 'cold' });
    expect(tools[2].native).toMatchObject({ sms_content_type: 'static', sms_static_message: 'Hello' });
  });

  it('sets the parameters of native tools by their settings [tools.8]', async () => {
    const parametersOf = async (nativeTools: Json): Promise<Json> => {
      const { id } = await service.addAssistant(workspace, { nativeTools });
      const { tools } = (await snapshot(id)).body.data.snapshot;
      return Object.fromEntries(
        tools.map(({ tool_name, parameters }: Json) => [
          tool_name,
          [Object.keys(parameters.properties), parameters.required],
        ]),
      );
    };
    const on = { enabled: true };
    expect(await parametersOf({ transfer_call: { ...on, mode: 'dynamic' }, send_sms: on })).toEqual({
      end_call: [['reason'], []],
      transfer_call: [['destination', 'reason'], ['destination']],
      send_sms: [['to', 'message'], ['message']],
    });
    expect(
      await parametersOf({
        transfer_call: { ...on, staticDestination: 'sip:desk@example.com' },
        send_sms: { ...on, smsContentType: 'static', smsStaticMessage: 'Hi' },
      }),
    ).toMatchObject({ transfer_call: [['reason'], []], send_sms: [['to'], []] });
  });

  it('returns no snapshot to a caller that has the version', async () => {
    const { id } = await service.addAssistant(workspace);
    expect((await snapshot(id, '?known_version=1')).body.data).toEqual({ version: 1, snapshot: null });
    expect((await snapshot(id, '?known_version=7')).body.data.snapshot.version).toBe(1);
  });

  it('answers 404 for an assistant of another workspace', async () => {
    const { id } = await service.addAssistant(newWorkspace());
    expect((await snapshot(id)).status).toBe(404);
    expect((await snapshot(id, '?known_version=1')).status).toBe(404);
  });
});

describe('GET /internal/stored-bytes (V6)', () => {
  it('counts assistants, tools, documents, stored responses and large messages per workspace', async () => {
    const [of, answered, published] = [newWorkspace(), newWorkspace(), newWorkspace()];
    await service.sql.$executeRaw`
      INSERT INTO idempotency_keys (workspace_id, method, path, key, owner, state, lease_until, created_at, expires_at)
      VALUES (${answered}::uuid, 'POST', '/v1/assistant', 'once', gen_random_uuid(), 'running', now(), now(), now() + interval '1 day')`;
    await service.sql.$executeRaw`
      INSERT INTO outbox_contents (message_id, workspace_id, payload)
      VALUES (gen_random_uuid(), ${published}::uuid, 'a large message')`;
    const base = (await service.post(of, '/v1/knowledge-base', { name: 'Base' })).body.data.id;
    const document = { title: 'A document', text: 'Some words. '.repeat(1_000) };
    await service.post(of, `/v1/knowledge-base/${base}/documents`, document);
    const { body } = await service.callAsService(of, 'GET', '/internal/stored-bytes');
    const found = body.data.workspaces.find((one: Json) => one.workspace_id === of);
    expect(found?.bytes).toBeGreaterThan(5_000);
    const measured = body.data.workspaces.map((one: Json) => one.workspace_id);
    expect(measured).toEqual(expect.arrayContaining([answered, published]));
  });
});

describe('the Prisma schema', () => {
  it('has the tables and columns of the migrations', async () => {
    // Prisma omits columns of types that it doesn't know.
    const models = Prisma.ModelName;
    const counts = await service.sql.$queryRaw<
      { count: number }[]
    >`SELECT count(*)::int FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name NOT LIKE '\\_prisma%' AND data_type <> 'tsvector'`;
    const enums = Prisma as unknown as Record<string, object>;
    const fields = Object.keys(models).flatMap((model) =>
      Object.keys(enums[`${model}ScalarFieldEnum`] ?? {}),
    );
    expect(fields).toHaveLength(counts[0]?.count ?? 0);
    const { prisma } = service.context;
    // Each statement lists all columns.
    await Promise.all([
      prisma.assistant.findFirst(),
      prisma.tool.findFirst(),
      prisma.numberLink.findFirst(),
      prisma.outboxMessage.findFirst(),
      prisma.inbox.findFirst(),
      prisma.idempotencyKey.findFirst(),
    ]);
  });
});
