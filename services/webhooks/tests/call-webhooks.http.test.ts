import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';
import { eventually, internalTokens, type Receiver, receiver } from '@parley/testkit';
import request from 'supertest';
import { bootWebhooks, fakeCall, INTERNAL_SECRET, type Webhooks } from './harness.ts';

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();

beforeAll(async () => {
  server = await receiver();
  webhooks = await bootWebhooks();
});

afterAll(async () => {
  await server.close();
  await webhooks.stopAll();
});

function get(callId: string, workspaceId = workspace) {
  const token = internalTokens(INTERNAL_SECRET, 'gateway').mint('webhooks', {
    workspaceId,
    actor: { kind: 'key', id: 'k' },
  });
  return request(webhooks.url).get(`/v2/call/${callId}/webhooks`).set(INTERNAL_TOKEN_HEADER, token);
}

describe('GET /v2/call/{id}/webhooks', () => {
  it('lists every attempt of each event with request and response [webhooks.19]', async () => {
    server.script('/hook', { status: 500, body: 'no', headers: { 'x-mine': '1' } });
    const call = fakeCall(`${server.url}/hook`, new Date());
    await webhooks.bus.publish('call.started', workspace, call.started);
    const [event] = await eventually(async () => {
      const answer = await get(call.callId);
      expect(answer.status).toBe(200);
      expect(answer.body.data[0]?.attempts).toHaveLength(1);
      return answer.body.data;
    });
    expect(event).toMatchObject({ event: 'call_started', status: 'pending', reason: 'http_error' });
    const [attempt] = event.attempts;
    expect(attempt).toMatchObject({
      attempt: 1,
      url: `${server.url}/hook`,
      reason: 'http_error',
      status: 500,
      response: { headers: { 'x-mine': '1' }, body: 'no' },
    });
    expect(attempt.request.headers).toMatchObject({ 'webhook-id': event.id, 'x-webhook-attempt': '1' });
    expect(JSON.parse(attempt.request.body)).toMatchObject({ event: 'call_started', call_id: call.callId });
    const waitMs = Date.parse(event.next_attempt_at) - (Date.parse(attempt.started_at) + attempt.duration_ms);
    expect(Math.abs(waitMs - 120_000)).toBeLessThan(1_000);
  });

  it('credentials in the headers of a response are masked [webhooks.19]', async () => {
    const headers = { 'set-cookie': 'session=canary', 'x-api-key': 'canary', 'x-request-id': 'shown' };
    server.script('/letting-in', { status: 200, headers });
    const call = fakeCall(`${server.url}/letting-in`, new Date());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => {
      const { body, text } = await get(call.callId);
      expect(body.data[0].attempts[0].response.headers).toMatchObject({
        'set-cookie': '********',
        'x-api-key': '********',
        'x-request-id': 'shown',
      });
      expect(text).not.toContain('canary');
    });
  });

  it('shows the last 60 attempts of an event that was resent very often, and the total', async () => {
    const call = fakeCall(`${server.url}/often`, new Date());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => expect((await get(call.callId)).body.data[0]?.status).toBe('delivered'));
    await webhooks.context.prisma
      .$executeRaw`INSERT INTO attempts (event_id, workspace_id, series, attempt, url, started_at, duration_ms, reason, status,
         request_headers)
       SELECT event_id, workspace_id, 1 + n, 1, url, started_at, 5, reason, status, '{}'
       FROM attempts, generate_series(1, 99) AS n WHERE url = ${`${server.url}/often`}`;
    const [event] = (await get(call.callId)).body.data;
    expect(event.attempt_count).toBe(100);
    const series = event.attempts.map((attempt: { series: number }) => attempt.series);
    expect(series).toEqual(Array.from({ length: 60 }, (_, i) => 41 + i));
  });

  it('shows only the last attempts that fit a response if bodies are long', async () => {
    server.script('/long', { status: 500 });
    const call = fakeCall(`${server.url}/long`, new Date());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => expect((await get(call.callId)).body.data[0]?.attempts).toHaveLength(1));
    const { prisma } = webhooks.context;
    const body = JSON.stringify({ transcript: 'x'.repeat(2_000_000) });
    await prisma.event.updateMany({ where: { callId: call.callId }, data: { body } });
    await prisma.$executeRaw`INSERT INTO attempts (event_id, workspace_id, series, attempt, url, started_at, duration_ms, reason, status,
         request_headers, response_headers, response_body)
       SELECT event_id, workspace_id, 1, 1 + n, url, started_at, 5, reason, status, '{}', '{}', repeat('y', 65536)
       FROM attempts, generate_series(1, 11) AS n WHERE url = ${`${server.url}/long`}`;
    const [event] = (await get(call.callId)).body.data;
    expect(event.attempt_count).toBe(12);
    expect(event.attempts.map(({ attempt }: { attempt: number }) => attempt)).toEqual([9, 10, 11, 12]);
    expect(event.attempts[0].request.body).toBe(body);
  });

  it('answers a call of another workspace exactly like an unknown one', async () => {
    const call = fakeCall(null, new Date());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => expect((await get(call.callId)).status).toBe(200));
    const [foreign, unknown] = [await get(call.callId, randomUUID()), await get(randomUUID())];
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(unknown.body);
  });

  it('an id that is not a UUID is 422', async () => {
    const answer = await get('nope');
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  it('its events count as stored bytes of its workspace, and large messages [trust.6]', async () => {
    const published = randomUUID();
    await webhooks.context.prisma.$executeRaw`
      INSERT INTO outbox_contents (message_id, workspace_id, payload)
      VALUES (gen_random_uuid(), ${published}::uuid, 'a large message')`;
    const token = internalTokens(INTERNAL_SECRET, 'gateway').mint('webhooks', {
      workspaceId: workspace,
      actor: { kind: 'service', id: 'gateway' },
    });
    const asking = request(webhooks.url).get('/internal/stored-bytes').set(INTERNAL_TOKEN_HEADER, token);
    const { status, body } = await asking;
    expect(status).toBe(200);
    for (const workspace_id of [workspace, published])
      expect(body.data.workspaces).toContainEqual({ workspace_id, bytes: expect.any(Number) });
  });

  it('refuses requests without the internal token', async () => {
    expect((await request(webhooks.url).get(`/v2/call/${randomUUID()}/webhooks`)).status).toBe(401);
  });
});
