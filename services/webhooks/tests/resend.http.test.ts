import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { lockCalls } from '../src/events/events.store.ts';
import { bootWebhooks, fakeCall, readEvents, SECRET, type Webhooks } from './harness.ts';

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();
const ALL = ['call_started', 'call_ended', 'call_analyzed'] as const;

beforeAll(async () => {
  server = await receiver();
  webhooks = await bootWebhooks();
});
afterAll(async () => {
  // Closes the receiver first, which ends hanging attempts.
  await server.close();
  await webhooks.stopAll();
});

const resend = (callId: string, events: unknown, workspaceId = workspace) =>
  webhooks.ask(workspaceId, 'post', `/v2/call/${callId}/webhooks/resend`).send({ events } as object);
const found = (callId: string) => readEvents(webhooks, workspace, callId);
const sent = (at: string) => server.requests(at).map(({ body }) => JSON.parse(body).event);
const delivered = { ok: true, status: 200, reason: 'delivered' };

/** A call with these events and its own path. */
async function newCall(...types: ('started' | 'ended' | 'analyzed')[]) {
  const at = `/${randomUUID()}`;
  const call = fakeCall(server.url + at, webhooks.context.clock.now());
  const publish = async (...more: typeof types) => {
    for (const type of more) await webhooks.bus.publish(`call.${type}`, workspace, call[type]);
  };
  await publish(...types);
  return { ...call, at, publish };
}

async function deliveredCall() {
  const call = await newCall('started', 'ended', 'analyzed');
  await eventually(async () => {
    const events = await found(call.callId);
    expect(events.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  });
  return call;
}

async function retriedCall(...answers: Parameters<Receiver['script']>[1][]) {
  const at = `/${randomUUID()}`;
  server.script(at, ...answers);
  const call = fakeCall(server.url + at, webhooks.context.clock.now());
  await webhooks.bus.publish('call.started', workspace, call.started);
  await eventually(async () => expect((await found(call.callId))[0]?.log).toHaveLength(1));
  return { ...call, at };
}

const lockIsAwaited = () =>
  eventually(async () => {
    const waiting = await webhooks.context.prisma.$queryRaw<unknown[]>`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(1);
  });

describe('POST /v2/call/{id}/webhooks/resend', () => {
  it.concurrent('delivers events again with the same event ids and bytes, in their order, including a delivered call_analyzed [webhooks.17]', async () => {
    const { callId, at } = await deliveredCall();
    const answer = await resend(callId, ['call_analyzed', 'call_started', 'call_ended', 'call_started']);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        success: true,
        data: { results: { call_started: delivered, call_ended: delivered, call_analyzed: delivered } },
      },
    ]);
    expect(Object.keys(answer.body.data.results)).toEqual(ALL);
    const requests = server.requests(at);
    expect(sent(at)).toEqual([...ALL, ...ALL]);
    for (const [i, again] of requests.slice(3).entries()) {
      expect(again.body).toBe(requests[i]?.body);
      expect(again.headers['webhook-id']).toBe(requests[i]?.headers['webhook-id']);
      expect(again.headers['x-webhook-attempt']).toBe('1');
      server.verify(again, SECRET);
    }
    for (const event of await found(callId)) {
      expect(event).toMatchObject({ status: 'delivered', nextAttemptAt: null });
      expect(event.log.map(({ series, attempt }) => [series, attempt])).toEqual([
        [1, 1],
        [2, 1],
      ]);
    }
  });

  it.concurrent('a failure does not prevent the later attempts, and is retried by itself', async () => {
    const { callId, at } = await deliveredCall();
    server.script(at, { status: 500 }, {}, { status: 410 }, {});
    const answer = await resend(callId, ALL);
    expect(answer.body.data.results).toEqual({
      call_started: { ok: false, status: 500, reason: 'http_error' },
      call_ended: delivered,
      call_analyzed: { ok: false, status: 410, reason: 'http_error' },
    });
    const [started, , analyzed] = await found(callId);
    for (const event of [started, analyzed]) {
      expect(event).toMatchObject({ status: 'pending', reason: 'http_error' });
      const madeMs = event?.log[1]?.startedAt.getTime() ?? 0;
      expect((event?.nextAttemptAt?.getTime() ?? 0) - madeMs).toBeGreaterThanOrEqual(120_000);
    }
  });

  it.concurrent('sends only the requested events, without a hold: a later event is sent while an earlier one is retried', async () => {
    const call = await retriedCall({ status: 500 }, {});
    await webhooks.bus.publish('call.ended', workspace, call.ended);
    await eventually(async () => expect(await found(call.callId)).toHaveLength(2));
    const answer = await resend(call.callId, ['call_ended']);
    expect(answer.body.data.results).toEqual({ call_ended: delivered });
    expect(sent(call.at)).toEqual(['call_started', 'call_ended']);
    expect((await found(call.callId)).map(({ status }) => status)).toEqual(['pending', 'delivered']);
  });

  it.concurrent('a delivered event releases the next one of the call', async () => {
    const call = await retriedCall({ status: 500 }, {});
    await webhooks.bus.publish('call.ended', workspace, call.ended);
    await resend(call.callId, ['call_started']);
    await eventually(() => expect(sent(call.at)).toEqual(['call_started', 'call_started', 'call_ended']));
  });

  it.concurrent.each([
    ['http_error', 302, { status: 302 }, 'redirect_refused'],
    ['a broken connection', 0, { fault: 'reset' as const }, 'connection_error'],
    ['a refused address', 0, { status: 307, redirect: 'http://10.0.0.1/' }, 'address_refused'],
    ['an endpoint that hangs', 0, { fault: 'hang' as const }, 'timeout'],
  ])('reports why it failed: %s [webhooks.18]', async (_, status, answer, reason) => {
    const { callId, at } = await deliveredCall();
    server.script(at, answer);
    expect((await resend(callId, ['call_ended'])).body.data.results).toEqual({
      call_ended: { ok: false, status, reason },
    });
  });

  it.concurrent('not_recorded: the call has no such event, or none at all', async () => {
    const { callId } = await newCall('started');
    await eventually(async () => expect((await found(callId))[0]?.status).toBe('delivered'));
    const none = { ok: false, status: 0, reason: 'not_recorded' };
    expect((await resend(callId, ['call_ended', 'call_started'])).body.data.results).toEqual({
      call_started: delivered,
      call_ended: none,
    });
    const queued = randomUUID();
    webhooks.peers.calls.add(queued);
    expect((await resend(queued, ['call_analyzed'])).body.data.results).toEqual({ call_analyzed: none });
  });

  it.concurrent('no_webhook_url: nothing is sent and a delivered event stays delivered; with a URL again it can be resent', async () => {
    const { callId, agentId, at } = await deliveredCall();
    const agent = { agent_id: agentId, agent_name: 'Ada' };
    const setUrl = async (version: number, webhook_url: string | null) => {
      await webhooks.bus.publish('assistant.updated', workspace, { ...agent, version, webhook_url });
      await eventually(async () => {
        const row = await webhooks.context.prisma.endpoint.findUnique({ where: { agentId } });
        expect(row?.url).toBe(webhook_url);
      });
    };
    await setUrl(2, null);
    const answer = await resend(callId, ['call_started']);
    expect(answer.body.data.results.call_started).toEqual({ ok: false, status: 0, reason: 'no_webhook_url' });
    expect((await found(callId))[0]).toMatchObject({ status: 'delivered', reason: 'delivered' });
    expect(sent(at)).toHaveLength(3);
    await setUrl(3, server.url + at);
    expect((await resend(callId, ['call_started'])).body.data.results.call_started).toEqual(delivered);
  });

  it.concurrent('sends the newest edition of a fixed transcript, with its own webhook-id [calls.14]', async () => {
    const call = await deliveredCall();
    await webhooks.bus.publish('call.analyzed', workspace, {
      ...call.analyzed,
      edition: 2,
      summary: 'Better.',
    });
    await eventually(() => expect(sent(call.at)).toHaveLength(4));
    await eventually(async () => expect((await found(call.callId))[3]?.status).toBe('delivered'));
    await resend(call.callId, ['call_analyzed']);
    const [second, again] = server.requests(call.at).slice(3);
    expect(again?.headers['webhook-id']).toBe(second?.headers['webhook-id']);
    expect(JSON.parse(again?.body ?? '').payload.data.summary).toBe('Better.');
    expect((await found(call.callId))[2]).toMatchObject({ status: 'delivered', log: [{ series: 1 }] });
  });

  it.concurrent('waits for an attempt in progress: the event is never sent twice concurrently, and both are recorded', async () => {
    const at = `/${randomUUID()}`;
    server.script(at, { status: 500, delayMs: 1_500 }, {});
    const call = fakeCall(server.url + at, webhooks.context.clock.now());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(() => expect(server.requests(at)).toHaveLength(1));
    const answer = await resend(call.callId, ['call_started']);
    expect(answer.body.data.results).toEqual({ call_started: delivered });
    const [event] = await found(call.callId);
    expect(event?.log.map(({ series, attempt, status }) => [series, attempt, status])).toEqual([
      [1, 1, 500],
      [2, 1, 200],
    ]);
    const [first, second] = event?.log ?? [];
    const firstEndedMs = (first?.startedAt.getTime() ?? 0) + (first?.durationMs ?? 0);
    expect(second?.startedAt.getTime()).toBeGreaterThanOrEqual(firstEndedMs - 1);
    expect(server.requests(at)).toHaveLength(2);
  });

  it('waits for a claim that is being committed, too', async () => {
    const { callId } = await retriedCall({ status: 500 }, {});
    const { prisma, resends, clock } = webhooks.context;
    const started = await prisma.$transaction(async (deliverer) => {
      await deliverer.$executeRaw`
        UPDATE events SET lease_until = clock_timestamp() + interval '30 seconds', fence = fence + 1
        WHERE call_id = ${callId}::uuid`;
      const start = resends.start(workspace, callId, ['call_started'], clock.now());
      await lockIsAwaited();
      return { start };
    });
    expect(await started.start).toEqual({ state: 'busy' });
  });

  it('is serialized with the records of the call, in any spelling of the id', async () => {
    const { callId } = await deliveredCall();
    const { prisma, resends, clock } = webhooks.context;
    const started = await prisma.$transaction(async (recording) => {
      await lockCalls(recording, [callId]);
      const start = resends.start(workspace, callId.toUpperCase(), ['call_started'], clock.now());
      await lockIsAwaited();
      return { start };
    });
    expect(await started.start).toMatchObject({ state: 'started' });
  });

  it.concurrent('two concurrent ones run one after the other, each with its own series', async () => {
    const { callId, at } = await deliveredCall();
    server.script(at, { delayMs: 200 });
    const answers = await Promise.all([resend(callId, ALL), resend(callId, ALL)]);
    for (const { body } of answers) {
      expect(body.data.results).toEqual({
        call_started: delivered,
        call_ended: delivered,
        call_analyzed: delivered,
      });
    }
    expect(sent(at)).toEqual([...ALL, ...ALL, ...ALL]);
    for (const { log } of await found(callId)) expect(log.map(({ series }) => series)).toEqual([1, 2, 3]);
  });

  it.concurrent('takes over from a deliverer that crashed during its attempt, whose late record is void', async () => {
    const { callId, at } = await retriedCall({ status: 500 }, {});
    const { prisma, deliveries, clock } = webhooks.context;
    const row = await prisma.event.findFirstOrThrow({ where: { callId } });
    const dead = {
      ...row,
      fence: row.fence + 1,
      dueAt: new Date(),
      url: server.url + at,
      version: 1,
      usesWorkspaceSecret: false,
      unresponsive: false,
    };
    await prisma.event.update({
      where: { id: row.id },
      data: { fence: dead.fence, leaseUntil: new Date(Date.now() - 1_000) },
    });
    expect((await resend(callId, ['call_started'])).body.data.results.call_started).toEqual(delivered);
    const late = deliveries.record(
      dead,
      { attempt: null, next: { status: 'failed' }, reason: 'http_error' },
      clock.now(),
    );
    expect(await late).toBe(false);
    expect((await found(callId))[0]?.status).toBe('delivered');
  });

  it.concurrent('is continued by the deliverer if its process crashes', async () => {
    const { callId, at } = await deliveredCall();
    const { prisma, resends, clock } = webhooks.context;
    const started = await resends.start(workspace, callId, ['call_ended'], clock.now());
    expect(started.state).toBe('started');
    await prisma.event.updateMany({
      where: { callId, event: 'call_ended' },
      data: { leaseUntil: new Date(Date.now() - 1_000) },
    });
    await eventually(async () => {
      const event = (await found(callId))[1];
      expect(event).toMatchObject({ status: 'delivered', log: [{ series: 1 }, { series: 2, attempt: 1 }] });
    });
    expect(sent(at)).toEqual([...ALL, 'call_ended']);
  });

  it.concurrent('a call of another workspace is 404 NOT_FOUND, exactly like an unknown one', async () => {
    const { callId, at } = await deliveredCall();
    const [foreign, unknown] = [await resend(callId, ALL, randomUUID()), await resend(randomUUID(), ALL)];
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(foreign.body).toEqual(unknown.body);
    expect(sent(at)).toHaveLength(3);
  });

  it.each([
    ['no events', undefined, 'events'],
    ['an empty list', [], 'events'],
    ['an unknown event', ['call_started', 'call_paused'], 'events.1'],
    ['what is no list', 'call_started', 'events'],
  ])('422 VALIDATION_FAILED: %s', async (_, events, path) => {
    const { status, body } = await resend(randomUUID(), events);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([422, 'VALIDATION_FAILED', path]);
  });

  it('422 VALIDATION_FAILED: a malformed id; 401 without the internal token', async () => {
    expect((await resend('nope', ALL)).status).toBe(422);
    const answer = await fetch(`${webhooks.url}/v2/call/${randomUUID()}/webhooks/resend`, { method: 'POST' });
    expect(answer.status).toBe(401);
  });

  it('429 RATE_LIMITED with Retry-After: at most 8 of one workspace wait; others are served', async () => {
    const { callId, at } = await deliveredCall();
    server.script(at, { delayMs: 1_000 }, {});
    const answers = await Promise.all(Array.from({ length: 10 }, () => resend(callId, ['call_ended'])));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2);
    expect([refused[0]?.body.error.code, refused[0]?.headers['retry-after']]).toEqual(['RATE_LIMITED', '5']);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    expect((await resend(callId, ['call_ended'])).status).toBe(200);
  });
});

describe('POST /v2/call/{id}/webhooks/resend: an attempt that could not be recorded', () => {
  it.concurrent('is reported with its result, and its event is sent once more when its lease expires', async () => {
    const cut = await bootWebhooks({ hasDatabaseProxy: true });
    try {
      const at = `/${randomUUID()}`;
      server.script(at, {}, { delayMs: 3_000 }, {});
      const { callId, started } = fakeCall(server.url + at, cut.context.clock.now());
      const event = async () => (await readEvents(cut, workspace, callId))[0];
      await cut.bus.publish('call.started', workspace, started);
      await eventually(async () => expect((await event())?.status).toBe('delivered'));
      const path = `/v2/call/${callId}/webhooks/resend`;
      const answer = cut.ask(workspace, 'post', path).send({ events: ['call_started'] });
      const answered = answer.then(({ body }) => body.data.results);
      await eventually(() => expect(server.requests(at)).toHaveLength(2));
      cut.proxy?.cut();
      expect(await answered).toEqual({ call_started: delivered });
      cut.proxy?.restore();
      await eventually(() =>
        cut.context.prisma.event.updateMany({ data: { leaseUntil: new Date(Date.now() - 1_000) } }),
      );
      await eventually(() => expect(server.requests(at)).toHaveLength(3));
      await eventually(async () => expect((await event())?.status).toBe('delivered'));
      expect((await event())?.log.map(({ series, attempt }) => [series, attempt])).toEqual([
        [1, 1],
        [2, 1],
      ]);
    } finally {
      await cut.stopAll();
    }
  });
});

describe('POST /v2/call/{id}/webhooks/resend: 500 INTERNAL_ERROR, nothing was sent', () => {
  it('while the signing secrets are unavailable', async () => {
    const other = randomUUID();
    const at = `/${randomUUID()}`;
    const call = fakeCall(server.url + at, webhooks.context.clock.now());
    webhooks.peers.down = true;
    await webhooks.bus.publish('call.started', other, call.started);
    await eventually(async () => expect(await readEvents(webhooks, other, call.callId)).toHaveLength(1));
    const { status, body } = await resend(call.callId, ALL, other);
    webhooks.peers.down = false;
    expect([status, body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(body.error.message).toMatch(/^Nothing was sent.*try again$/);
    // The event is unchanged and is delivered as scheduled.
    await eventually(() => expect(server.requests(at)).toHaveLength(1));
  });

  it.concurrent('while the database is unavailable; afterwards it is sent', async () => {
    const cut = await bootWebhooks({ hasDatabaseProxy: true });
    try {
      const at = `/${randomUUID()}`;
      const call = fakeCall(server.url + at, cut.context.clock.now());
      await cut.bus.publish('call.started', workspace, call.started);
      await eventually(() => expect(server.requests(at)).toHaveLength(1));
      await eventually(async () =>
        expect((await readEvents(cut, workspace, call.callId))[0]?.status).toBe('delivered'),
      );
      const again = () =>
        cut
          .ask(workspace, 'post', `/v2/call/${call.callId}/webhooks/resend`)
          .send({ events: ['call_started'] });
      cut.proxy?.cut();
      const { status, body } = await again();
      expect([status, body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
      expect(body.error.message).toBe('Nothing was sent; try again');
      expect(server.requests(at)).toHaveLength(1);
      cut.proxy?.restore();
      await eventually(async () => expect((await again()).status).toBe(200));
      expect(server.requests(at)).toHaveLength(2);
    } finally {
      await cut.stopAll();
    }
  });
});

describe('POST /v2/call/{id}/webhooks/resend: telephony is unavailable', () => {
  it('503 SERVICE_UNAVAILABLE if only telephony knows whether the call exists; a call with events is resent', async () => {
    const { callId } = await deliveredCall();
    webhooks.peers.downPaths = ['/v2/call/', '/internal/calls/'];
    const [unknown, known] = [await resend(randomUUID(), ALL), await resend(callId, ['call_ended'])];
    webhooks.peers.downPaths = [];
    expect([unknown.status, unknown.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(unknown.body.error.message).toBe(
      'Calls are not available right now, so nothing was sent; try again shortly',
    );
    expect(Number(unknown.headers['retry-after'])).toBeGreaterThan(0);
    expect(known.body.data.results).toEqual({ call_ended: delivered });
  });
});
