import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '@parley/kit/db';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { newId } from '@parley/kit/ids';
import { eventually, internalToken, type Receiver, receiver } from '@parley/testkit';
import request from 'supertest';
import { BY_INDEX, failingStatement } from '../src/endpoints/endpoints.store.ts';
import { bootWebhooks, fakeCall, INTERNAL_SECRET, type Webhooks } from './harness.ts';
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

const find = async (workspace: string) => {
  const actor = { kind: 'service' as const, id: 'gateway' };
  const token = internalToken(INTERNAL_SECRET, 'webhooks', { workspaceId: workspace, actor });
  const { status, body } = await request(webhooks.url)
    .get('/internal/attention')
    .set(INTERNAL_TOKEN_HEADER, token);
  expect(status).toBe(200);
  return body.data.items;
};
const daysAgo = (days: number) => new Date(webhooks.context.clock.now().getTime() - days * 86_400_000);

describe('GET /internal/attention', () => {
  it('names a webhook URL while its last attempt failed [analytics.10]', async () => {
    const workspace = randomUUID();
    const [good, bad] = [`${server.url}/fine`, `${server.url}/broken`];
    server.script('/broken', { status: 200 }, { status: 503, headers: { 'retry-after': '3600' } });
    const agents = new Map<string, string>();
    for (const url of [good, bad]) {
      const agent_id = randomUUID();
      agents.set(url, agent_id);
      await webhooks.bus.publish('assistant.updated', workspace, {
        agent_id,
        agent_name: 'Ada',
        version: 1,
        webhook_url: url,
      });
      await eventually(async () =>
        expect(
          await webhooks.context.prisma.endpoint.findUnique({ where: { agentId: agent_id } }),
        ).not.toBeNull(),
      );
      const call = fakeCall(null, webhooks.context.clock.now(), agent_id);
      const known = { ...call.started.agent, version: 0 };
      await webhooks.bus.publish('call.started', workspace, { ...call.started, agent: known });
      await webhooks.bus.publish('call.ended', workspace, { ...call.ended, agent: known });
    }
    const wanted = {
      ...{ type: 'webhook_endpoint_failing', at: expect.any(String), url: bad, agent_ids: [agents.get(bad)] },
      ...{
        success_rate: 0.5,
        waiting_events: 1,
        last_success_at: expect.any(String),
        reason: 'http_error',
        status: 503,
      },
      error: 'The endpoint responded with status 503',
    };
    await eventually(async () => expect(await find(workspace)).toEqual([wanted]), { timeoutMs: 25_000 });
    expect(await find(randomUUID())).toEqual([]);
  });

  it('finds the failing ones among thousands of URLs, by two index entries of each [analytics.10]', async () => {
    const [workspace, count] = [randomUUID(), 3_000];
    const { prisma } = webhooks.context;
    const url = (n: number) => `https://${String(n).padStart(5, '0')}.example/hook`;
    await prisma.$executeRaw`INSERT INTO endpoints (agent_id, workspace_id, version, url)
      SELECT gen_random_uuid(), ${workspace}::uuid, 1, 'https://' || lpad(n::text, 5, '0') || '.example/hook'
      FROM generate_series(1, ${count}::int) AS n`;
    // Ten attempts per URL, every fourth of which failed; the last one succeeded, except for every hundredth URL.
    await prisma.$executeRaw`INSERT INTO attempts (event_id, workspace_id, series, attempt, url, started_at, duration_ms, reason, status,
        request_headers)
      SELECT gen_random_uuid(), ${workspace}::uuid, 1, a, 'https://' || lpad(n::text, 5, '0') || '.example/hook',
        clock_timestamp() - interval '1 minute' + a * interval '1 second' + n * interval '1 millisecond', 5,
        CASE WHEN a % 4 = 0 OR (a = 10 AND n % 100 = 0) THEN 'timeout' ELSE 'delivered' END, 200, '{}'
      FROM generate_series(1, ${count}::int) AS n, generate_series(1, 10) AS a`;
    await prisma.$executeRaw`ANALYZE attempts, endpoints`;
    const items: { url: string; success_rate: number }[] = await find(workspace);
    expect(items.map((item) => item.url)).toEqual(Array.from({ length: 20 }, (_, n) => url(count - n * 100)));
    expect(items[0]?.success_rate).toBe(0.7);
    const [explained] = await prisma.$transaction(async (tx) => {
      await tx.$queryRaw(BY_INDEX);
      const explain = sql`EXPLAIN (ANALYZE, FORMAT JSON) ${failingStatement(workspace, daysAgo(7), 20)}`;
      return tx.$queryRaw<{ 'QUERY PLAN': unknown }[]>(explain);
    });
    const scans = scansOf(explained?.['QUERY PLAN'], /^attempts|^d\d+/);
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) {
      expect(scan).toMatchObject({ 'Node Type': expect.stringContaining('Index') });
      // On average one read for each URL that is only checked, and up to ten for each of the twenty that are shown.
      expect(Number(scan['Actual Rows'])).toBeLessThanOrEqual(10);
    }
  });

  it('names assistants with events of the last seven days that were given up [analytics.10]', async () => {
    const [workspace, agentId] = [randomUUID(), randomUUID()];
    const add = async (fields: object) => {
      const event = {
        ...{
          id: newId(),
          workspaceId: workspace,
          callId: randomUUID(),
          agentId,
          event: 'call_ended',
          position: 2,
          body: '{}',
        },
        ...{ status: 'failed', reason: 'timeout', blocked: false, attempts: 12, createdAt: daysAgo(1) },
        ...fields,
      };
      await webhooks.context.prisma.event.create({ data: event });
      return event;
    };
    await add({ createdAt: daysAgo(2) });
    const newest = await add({ event: 'call_analyzed', position: 3 });
    await add({ createdAt: daysAgo(8) });
    await add({ reason: 'superseded' });
    await add({ reason: 'no_webhook_url' });
    await add({ status: 'delivered', reason: 'delivered' });
    // A resend sends the newer edition.
    const replaced = await add({ event: 'call_analyzed', position: 3, createdAt: daysAgo(3) });
    const { callId } = replaced;
    await add({
      event: 'call_analyzed',
      position: 3,
      callId,
      edition: 2,
      status: 'delivered',
      reason: 'delivered',
    });
    await add({ workspaceId: randomUUID() });
    expect(await find(workspace)).toEqual([
      {
        ...{
          type: 'webhook_events_exhausted',
          at: newest.createdAt.toISOString(),
          agent_id: agentId,
          count: 2,
        },
        ...{ call_id: newest.callId, event: 'call_analyzed' },
      },
    ]);
  });
});
