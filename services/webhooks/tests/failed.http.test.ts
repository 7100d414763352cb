import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '@parley/kit/db';
import { type Actor, INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { newId } from '@parley/kit/ids';
import { internalToken, receiver } from '@parley/testkit';
import request from 'supertest';
import { EXHAUSTED } from '../src/events/events.store.ts';
import { bootWebhooks, INTERNAL_SECRET, type Webhooks } from './harness.ts';
import { scansOf } from './plan.ts';

// The list of failed events, which "Retry all failed" of the dashboard reads [webhooks.25] [dashboard.74].

let webhooks: Webhooks;
beforeAll(async () => {
  webhooks = await bootWebhooks();
});
afterAll(() => webhooks.stopAll());

const list = (workspaceId: string, query = '') =>
  webhooks.ask(workspaceId, 'get', `/v1/webhook-event/failed${query}`);
const secondsAgo = (seconds: number) => new Date(webhooks.context.clock.now().getTime() - seconds * 1_000);

async function addEvent(workspaceId: string, fields: object = {}) {
  const event = {
    ...{
      id: newId(),
      workspaceId,
      callId: randomUUID(),
      agentId: randomUUID(),
      event: 'call_ended',
      position: 2,
    },
    ...{ body: '{}', status: 'failed', reason: 'http_error', blocked: false, attempts: 12 },
    ...{ createdAt: secondsAgo(60) },
    ...fields,
  };
  await webhooks.context.prisma.event.create({ data: event });
  return event;
}

describe('GET /v1/webhook-event/failed', () => {
  it('lists the events that are given up, newest first, with the URL that a resend would use [webhooks.25]', async () => {
    const workspaceId = randomUUID();
    const agentId = randomUUID();
    const url = 'https://example.com/hook';
    await webhooks.context.prisma.endpoint.create({ data: { agentId, workspaceId, version: 1, url } });
    const older = await addEvent(workspaceId, { createdAt: secondsAgo(120), agentId });
    const newer = await addEvent(workspaceId, { reason: 'timeout' });
    await addEvent(workspaceId, { reason: 'superseded' });
    await addEvent(workspaceId, { reason: 'no_webhook_url' });
    await addEvent(workspaceId, { status: 'delivered', reason: 'delivered' });
    await addEvent(workspaceId, { status: 'pending', nextAttemptAt: secondsAgo(-60) });
    await addEvent(randomUUID());
    const { status, body } = await list(workspaceId);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        ...{ id: newer.id, call_id: newer.callId, agent_id: newer.agentId, event: 'call_ended', url: null },
        ...{ reason: 'timeout', created_at: newer.createdAt.toISOString() },
      },
      {
        ...{ id: older.id, call_id: older.callId, agent_id: agentId, event: 'call_ended', url },
        ...{ reason: 'http_error', created_at: older.createdAt.toISOString() },
      },
    ]);
    expect(body.pagination).toEqual({ total: 2, count: 2, next_cursor: null });
  });

  it('does not list an event with a newer edition: a resend sends that one [webhooks.17]', async () => {
    const workspaceId = randomUUID();
    const callId = randomUUID();
    const analyzed = { callId, event: 'call_analyzed', position: 3 };
    await addEvent(workspaceId, { ...analyzed, edition: 1 });
    await addEvent(workspaceId, { ...analyzed, edition: 2, status: 'delivered', reason: 'delivered' });
    expect((await list(workspaceId)).body.data).toEqual([]);
  });

  it('returns each once over the pages, and nothing past the end [general.13]', async () => {
    const workspaceId = randomUUID();
    const ids: string[] = [];
    for (const age of [1, 2, 3]) ids.push((await addEvent(workspaceId, { createdAt: secondsAgo(age) })).id);
    const idsOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
      body.data.map(({ id }: { id: string }) => id);
    const first = await list(workspaceId, '?limit=2');
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    expect(first.body.pagination).toEqual({ total: 3, count: 2, next_cursor: '2' });
    const second = await list(workspaceId, '?limit=2&offset=2');
    expect(idsOf(second)).toEqual(ids.slice(2));
    expect(second.body.pagination).toEqual({ total: 3, count: 1, next_cursor: null });
    expect((await list(workspaceId, '?offset=9')).body).toMatchObject({ data: [], pagination: { total: 3 } });
  });

  it.each(['?limit=0', '?limit=101', '?offset=-1'])('refuses %s', async (query) => {
    expect((await list(randomUUID(), query)).status).toBe(422);
  });

  it('is for members, viewers included, and not for a key of some assistants [webhooks.25] [trust.9]', async () => {
    const id = randomUUID();
    const ask = (actor: Actor) => {
      const token = internalToken(INTERNAL_SECRET, 'webhooks', { workspaceId: randomUUID(), actor });
      return request(webhooks.url).get('/v1/webhook-event/failed').set(INTERNAL_TOKEN_HEADER, token);
    };
    expect((await ask({ kind: 'member', id, role: 'viewer' })).status).toBe(200);
    const scope = { readOnly: true, agentIds: [randomUUID()] };
    const { status, body } = await ask({ kind: 'key', id, scope });
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('reads its own index alone, however many events were delivered', async () => {
    const workspaceId = randomUUID();
    const { prisma } = webhooks.context;
    await prisma.$executeRaw`
      INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, status, reason, blocked, created_at)
      SELECT gen_random_uuid(), ${workspaceId}::uuid, gen_random_uuid(), gen_random_uuid(), 'call_ended', 2, '{}',
        CASE WHEN n % 100 = 0 THEN 'failed' ELSE 'delivered' END, CASE WHEN n % 100 = 0 THEN 'timeout' ELSE 'delivered' END,
        false, clock_timestamp() - n * interval '1 second'
      FROM generate_series(1, 20000) AS n`;
    await prisma.$executeRaw`ANALYZE events`;
    const [explained] = await prisma.$queryRaw<{ 'QUERY PLAN': unknown }[]>(sql`
      EXPLAIN (ANALYZE, FORMAT JSON) SELECT e.id FROM events e
      WHERE e.workspace_id = ${workspaceId}::uuid AND ${EXHAUSTED} ORDER BY e.created_at DESC, e.id DESC LIMIT 51`);
    const scans = scansOf(explained?.['QUERY PLAN'], /^events$/);
    expect(scans.map((scan) => scan['Index Name'])).toContain('events_exhausted_idx');
    for (const scan of scans) expect(scan).toMatchObject({ 'Node Type': expect.stringMatching(/Index/) });
    expect((await list(workspaceId)).body.pagination).toEqual({ total: 200, count: 50, next_cursor: '50' });
  });
});

describe('POST /v2/call/{id}/webhooks/resend with only_failed', () => {
  it('sends a failed event once, however many people retry it at the same time [dashboard.74] [webhooks.17]', async () => {
    const server = await receiver();
    try {
      const [workspaceId, agentId, callId] = [randomUUID(), randomUUID(), randomUUID()];
      await webhooks.context.prisma.endpoint.create({
        data: { agentId, workspaceId, version: 1, url: `${server.url}/` },
      });
      const ofCall = { agentId, callId };
      await addEvent(workspaceId, { ...ofCall, event: 'call_ended', body: '{"event":"call_ended"}' });
      const analyzed = { ...ofCall, event: 'call_analyzed', position: 3, body: '{"event":"call_analyzed"}' };
      await addEvent(workspaceId, analyzed);
      const retry = (onlyFailed = true) =>
        webhooks
          .ask(workspaceId, 'post', `/v2/call/${callId}/webhooks/resend`)
          .send({ events: ['call_ended', 'call_analyzed', 'call_started'], only_failed: onlyFailed });
      // Slow, so that the requests meet.
      server.script('/', { status: 500, delayMs: 300 }, { delayMs: 300 });
      const answers = await Promise.all([retry(), retry(), retry()]);
      const none = { ok: false, status: 0, reason: 'not_recorded' };
      const results = answers.map(({ body }) => body.data.results);
      expect(results.filter((result) => result.call_ended)).toEqual([
        {
          call_started: none,
          call_ended: { ok: false, status: 500, reason: 'http_error' },
          call_analyzed: { ok: true, status: 200, reason: 'delivered' },
        },
      ]);
      expect(results.filter((result) => !result.call_ended)).toEqual([
        { call_started: none },
        { call_started: none },
      ]);
      // One is retried by the platform now, one is delivered.
      expect((await retry()).body.data.results).toEqual({ call_started: none });
      expect(server.requests('/')).toHaveLength(2);
      // Without it, each event is sent whatever its state.
      expect(Object.keys((await retry(false)).body.data.results)).toHaveLength(3);
      expect(server.requests('/')).toHaveLength(4);
    } finally {
      await server.close();
    }
  });
});
