import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '@parley/kit/db';
import { newId } from '@parley/kit/ids';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { BY_INDEX, pageStatement } from '../src/endpoints/endpoints.store.ts';
import { bootWebhooks, fakeCall, SECRET, type Webhooks } from './harness.ts';
import { scansOf } from './plan.ts';

let webhooks: Webhooks;
let server: Receiver;

beforeAll(async () => {
  server = await receiver();
  webhooks = await bootWebhooks();
});
afterAll(async () => {
  await server.close();
  await webhooks.stopAll();
});

const list = (workspace: string, query = '') =>
  webhooks.ask(workspace, 'get', `/v1/webhook-endpoint${query}`).send();

async function addAssistant(workspace: string, url: string | null, agentId: string = randomUUID()) {
  const agent = { agent_id: agentId, agent_name: 'Ada', version: 1, webhook_url: url };
  await webhooks.bus.publish('assistant.updated', workspace, agent);
  await eventually(async () =>
    expect(await webhooks.context.prisma.endpoint.findUnique({ where: { agentId } })).not.toBeNull(),
  );
  return agentId;
}

describe('GET /v1/webhook-endpoint', () => {
  it('returns for each URL its assistants, waiting events, recent results and last error', async () => {
    const workspace = randomUUID();
    const [good, bad] = [`${server.url}/good`, `${server.url}/bad`];
    server.script('/bad', { status: 200 }, { status: 503, headers: { 'retry-after': '3600' } });
    const agents = [await addAssistant(workspace, good), await addAssistant(workspace, good)].sort();
    const troubled = await addAssistant(workspace, bad);
    await addAssistant(workspace, null);
    await addAssistant(randomUUID(), good);
    for (const agentId of [agents[0], troubled]) {
      const call = fakeCall(null, webhooks.context.clock.now(), agentId);
      const known = { ...call.started.agent, version: 0 };
      await webhooks.bus.publish('call.started', workspace, { ...call.started, agent: known });
      await webhooks.bus.publish('call.ended', workspace, { ...call.ended, agent: known });
      await webhooks.bus.publish('call.analyzed', workspace, { ...call.analyzed, agent: known });
    }
    const body = await eventually(
      async () => {
        const answer = await list(workspace);
        const recent = answer.body.data.map((item: { recent_attempts: number }) => item.recent_attempts);
        expect([answer.status, ...recent]).toEqual([200, 2, 3]);
        expect(answer.body.data[0].waiting_events).toBe(2);
        return answer.body;
      },
      { timeoutMs: 25_000 },
    );
    expect(body.pagination).toEqual({ total: 2, count: 2, next_cursor: null });
    expect(body.data).toEqual([
      {
        url: bad,
        assistant_count: 1,
        agent_ids: [troubled],
        waiting_events: 2,
        recent_attempts: 2,
        success_rate: 0.5,
        latency_p50_ms: expect.any(Number),
        latency_p95_ms: expect.any(Number),
        last_success_at: expect.any(String),
        last_error: {
          at: expect.any(String),
          reason: 'http_error',
          status: 503,
          error: 'The endpoint responded with status 503',
        },
      },
      {
        url: good,
        assistant_count: 2,
        agent_ids: agents,
        waiting_events: 0,
        recent_attempts: 3,
        success_rate: 1,
        latency_p50_ms: expect.any(Number),
        latency_p95_ms: expect.any(Number),
        last_success_at: expect.any(String),
        last_error: null,
      },
    ]);
  });

  it('is paged by offset, each URL once; an offset past the end is an empty page [general.13]', async () => {
    const workspace = randomUUID();
    const urls = ['c', 'a', 'b'].map((name) => `https://${name}.example/hook`);
    for (const url of urls) await addAssistant(workspace, url);
    const seen: string[] = [];
    for (let offset: string | null = '0'; offset !== null; ) {
      const { body } = await list(workspace, `?limit=1&offset=${offset}`);
      expect(body.pagination.total).toBe(3);
      seen.push(...body.data.map(({ url }: { url: string }) => url));
      offset = body.pagination.next_cursor;
    }
    expect(seen).toEqual([...urls].sort());
    const past = await list(workspace, '?offset=9');
    expect([past.status, past.body.data]).toEqual([200, []]);
    expect((await list(workspace, '?limit=0')).status).toBe(422);
  });

  it('reads a hundred attempts of each kind per URL, however many there were, and never the whole backlog', async () => {
    const workspace = randomUUID();
    const url = 'https://busy.example/hook';
    const agentId = await addAssistant(workspace, url);
    const { prisma } = webhooks.context;
    const event = { id: newId(), workspaceId: workspace, callId: newId(), agentId, event: 'call_started' };
    const rest = { position: 1, body: '{}', status: 'delivered', blocked: false, createdAt: new Date() };
    await prisma.event.create({ data: { ...event, ...rest } });
    await prisma.$executeRaw`INSERT INTO attempts (event_id, workspace_id, series, attempt, url, started_at, duration_ms, reason, status,
         request_headers)
       SELECT ${event.id}::uuid, ${workspace}::uuid, 1, n, ${url}, clock_timestamp() + n * interval '1 microsecond', CASE WHEN n % 10 = 0 THEN 400 ELSE 5 END,
         CASE WHEN n % 4 = 0 THEN 'timeout' ELSE 'delivered' END, CASE WHEN n % 4 = 0 THEN 0 ELSE 200 END, '{}'
       FROM generate_series(1, 20000) AS n`;
    await prisma.$executeRaw`INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, status, blocked, next_attempt_at,
         created_at)
       SELECT gen_random_uuid(), ${workspace}::uuid, gen_random_uuid(), ${agentId}::uuid, 'call_started', 1, '{}', 'pending', false,
         clock_timestamp() + interval '10 years', clock_timestamp()
       FROM generate_series(1, 12000)`;
    await prisma.$executeRaw`ANALYZE attempts, events`;
    const [item] = (await list(workspace)).body.data;
    expect(item).toMatchObject({
      waiting_events: 10_000,
      recent_attempts: 100,
      success_rate: 0.75,
      latency_p50_ms: 5,
      latency_p95_ms: 400,
      last_error: { reason: 'timeout' },
    });
    const [explained] = await prisma.$transaction(async (tx) => {
      await tx.$queryRaw(BY_INDEX);
      const explain = sql`EXPLAIN (ANALYZE, FORMAT JSON) ${pageStatement(workspace, 50, 0)}`;
      return tx.$queryRaw<{ 'QUERY PLAN': unknown }[]>(explain);
    });
    const plan = explained?.['QUERY PLAN'];
    const backlog = scansOf(plan, /^events$/);
    for (const scan of backlog) expect(scan).toMatchObject({ 'Node Type': expect.stringContaining('Index') });
    expect(Math.max(...backlog.map((scan) => Number(scan['Actual Rows'])))).toBe(10_000);
    const scans = scansOf(plan, /^attempts|^d\d+/);
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) {
      expect(scan).toMatchObject({ 'Node Type': expect.stringContaining('Index') });
      expect(Number(scan['Actual Rows'])).toBeLessThanOrEqual(100);
    }
  });
});

describe('POST /v1/webhook-endpoint/test', () => {
  const test = (workspace: string, body: object) =>
    webhooks.ask(workspace, 'post', '/v1/webhook-endpoint/test').send(body);

  it('sends a signed test event and returns request and response', async () => {
    server.script('/tested', { status: 202, body: 'thanks', headers: { 'x-mine': '1' } });
    const { status, body } = await test(randomUUID(), { url: `${server.url}/tested` });
    expect(status).toBe(200);
    const [request] = server.requests('/tested');
    expect(server.verify(request as never, SECRET)).toEqual({
      event: 'test',
      call_id: null,
      agent_id: null,
      timestamp: expect.any(String),
      payload: {},
    });
    expect(request?.headers).toMatchObject({ 'user-agent': 'Parley-Webhooks/1', 'x-webhook-attempt': '1' });
    expect(body.data).toEqual({
      id: request?.headers['webhook-id'],
      ok: true,
      url: `${server.url}/tested`,
      reason: 'delivered',
      status: 202,
      error: null,
      duration_ms: expect.any(Number),
      request: { headers: expect.objectContaining({ 'webhook-id': body.data.id }), body: request?.body },
      response: { headers: expect.objectContaining({ 'x-mine': '1' }), body: 'thanks' },
    });
  });

  it('of an assistant uses its current URL; a failure is reported and not retried', async () => {
    const workspace = randomUUID();
    server.script('/failing', { status: 500 });
    const agentId = await addAssistant(workspace, `${server.url}/failing`);
    const { body } = await test(workspace, { agent_id: agentId });
    expect(body.data).toMatchObject({ ok: false, reason: 'http_error', status: 500 });
    expect(JSON.parse(body.data.request.body).agent_id).toBe(agentId);
    expect(await webhooks.context.prisma.event.count({ where: { workspaceId: workspace } })).toBe(0);
    expect(server.requests('/failing')).toHaveLength(1);
  });

  it('goes through the address guard: internal addresses are refused [webhooks.20]', async () => {
    server.script('/inside', { status: 307, redirect: 'http://169.254.169.254/latest' });
    const { body } = await test(randomUUID(), { url: `${server.url}/inside` });
    expect(body.data).toMatchObject({ ok: false, reason: 'address_refused', status: 0, response: null });
  });

  it.each([
    ['neither', {}, 'url'],
    ['both', { url: 'https://a.example', agent_id: randomUUID() }, 'url'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'url'],
    ['no https', { url: 'http://a.example/' }, 'url'],
    ['no id', { agent_id: 'x' }, 'agent_id'],
  ])('422 VALIDATION_FAILED: %s', async (_, sent, path) => {
    const { status, body } = await test(randomUUID(), sent);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([422, 'VALIDATION_FAILED', path]);
    expect(body.error.message).toBe(body.error.details[0].message);
  });

  it('422 for an assistant without a URL, 404 for an unknown one', async () => {
    const workspace = randomUUID();
    const agentId = await addAssistant(workspace, null);
    const silent = await test(workspace, { agent_id: agentId });
    const message = 'agent_id must be an assistant that has a webhook URL';
    expect([silent.status, silent.body.error.message]).toEqual([422, message]);
    const [foreign, unknown] = [
      await test(randomUUID(), { agent_id: agentId }),
      await test(workspace, { agent_id: randomUUID() }),
    ];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(foreign.body).toEqual(unknown.body);
  });

  it('500 INTERNAL_ERROR while it cannot be signed: nothing was sent', async () => {
    webhooks.peers.down = true;
    const { status, body } = await test(randomUUID(), { url: `${server.url}/unsigned` });
    webhooks.peers.down = false;
    expect([status, body.error.message]).toEqual([500, 'Nothing was sent; try again']);
    expect(server.requests('/unsigned')).toEqual([]);
  });
});
