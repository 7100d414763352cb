import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Message } from '@parley/contracts';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import { type SqlClient, sqlClient, type TestDatabase, testDatabase } from '@parley/testkit';
import { type CallMessage, makeEvent } from '../src/domain/events/make-event.ts';
import type { News, TakeNews } from '../src/domain/events/ports.ts';
import { connectDeliveries } from '../src/store/delivery-connections.ts';
import { createTakeNews } from '../src/store/take-news.ts';
import { fakeCall } from './fake-call.ts';

const log = createLogger({ service: 'webhooks', level: 'silent' });
const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
const clock = createClock({ rate: 1, originMs: 0 });
let database: TestDatabase;
let sql: SqlClient;

beforeAll(async () => {
  database = await testDatabase('webhooks');
  sql = sqlClient(database.url);
});
afterAll(async () => {
  await lifecycle.stop('test');
  await sql.close();
  await database.drop();
});

const replica = (): TakeNews =>
  createTakeNews(connectDeliveries(database.url, { lifecycle, log }).news, clock, 'webhooks');

const newCall = (agentId?: string) => fakeCall('https://example.com/hook', clock.now(), agentId);
type Call = ReturnType<typeof newCall>;

/** As a message of its own tells it. */
function told(type: CallMessage['type'], call: Call, more: object = {}): News {
  const data = { ...call[type.replace('call.', '') as 'started'], ...more };
  const envelope = { id: randomUUID(), workspace_id: call.callId, occurred_at: clock.now().toISOString() };
  const message = { ...envelope, type, data } as Message<CallMessage['type']>;
  const { agent_id: agentId, version, webhook_url: url } = data.agent;
  const endpoint = { agentId, workspaceId: call.callId, version, url };
  return { messageId: envelope.id, endpoint, event: makeEvent(message) };
}

type Row = { event: string; edition: number; status: string; blocked: boolean; ready: boolean };

const eventsOf = ({ callId }: Call) =>
  sql.$queryRawUnsafe<Row[]>(
    `SELECT event, edition, status, blocked, ready FROM events WHERE call_id = $1::uuid ORDER BY position, edition`,
    callId,
  );

describe('messages that are taken together', () => {
  it('block the later events of a call behind the earlier ones, in whatever order they come', async () => {
    const call = newCall();
    const takeNews = replica();
    const types = ['call.analyzed', 'call.ended', 'call.started'] as const;
    await Promise.all(types.map((type) => takeNews(told(type, call))));
    expect(await eventsOf(call)).toMatchObject([
      { event: 'call_started', blocked: false, ready: true },
      { event: 'call_ended', blocked: true, ready: false },
      { event: 'call_analyzed', blocked: true, ready: false },
    ]);
  });

  it('leave the newest of several editions alone pending, in whatever order they come', async () => {
    const call = newCall();
    const takeNews = replica();
    const editions = [2, 1, 4, 3].map((edition) => told('call.analyzed', call, { edition }));
    expect(await Promise.all(editions.map(takeNews))).toEqual([true, true, true, true]);
    expect((await eventsOf(call)).map(({ status }) => status)).toEqual([
      'failed',
      'failed',
      'failed',
      'pending',
    ]);
  });

  it('count once each, also where one comes twice or tells what another has told', async () => {
    const call = newCall();
    const takeNews = replica();
    const first = told('call.started', call);
    const again = { ...told('call.started', call), messageId: first.messageId };
    const all = [first, again, told('call.started', call)];
    expect(await Promise.all(all.map(takeNews))).toEqual([true, false, true]);
    expect(await takeNews(first)).toBe(false);
    expect(await eventsOf(call)).toHaveLength(1);
  });

  it('keep the newest URL that any of them tells', async () => {
    const agentId = randomUUID();
    const takeNews = replica();
    const versions = [2, 4, 3].map((version) => {
      const webhook_url = `https://example.com/${version}`;
      return told('call.started', newCall(agentId), { agent: { agent_id: agentId, version, webhook_url } });
    });
    await Promise.all(versions.map(takeNews));
    const [row] = await sql.$queryRawUnsafe<object[]>(
      'SELECT url, version FROM endpoints WHERE agent_id = $1::uuid',
      agentId,
    );
    expect(row).toEqual({ url: 'https://example.com/4', version: 4 });
  });

  it('are not lost with one that can not be written', async () => {
    const calls = [newCall(), newCall(), newCall()];
    const takeNews = replica();
    const all = calls.map((call) => told('call.started', call));
    // No text column takes NUL.
    Object.assign((all[1] as News).endpoint, { url: 'https://example.com/\u0000' });
    const taken = await Promise.allSettled(all.map(takeNews));
    expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await Promise.all(calls.map(async (call) => (await eventsOf(call)).length))).toEqual([1, 0, 1]);
  });

  it('never wait for those of another replica in a circle', async () => {
    const agents = Array.from({ length: 20 }, () => randomUUID());
    const all = agents.map((agentId) => told('call.started', newCall(agentId)));
    const orders = [all, all.toReversed(), [...all.slice(10), ...all.slice(0, 10)]];
    const taken = await Promise.all(orders.flatMap((order) => order.map(replica())));
    expect(taken.filter(Boolean)).toHaveLength(all.length);
  });
});
