import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Message } from '@parley/contracts';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import { type SqlClient, sqlClient, type TestDatabase, testDatabase } from '@parley/testkit';
import { fakeCall } from '@parley/testkit/fakes';
import { connectDedicated } from '../src/database.ts';
import { createIngest, type IncomingMessage, type Ingest } from '../src/events/ingest.ts';
import { type CallMessage, makeEvent } from '../src/events/make-event.ts';

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

const replica = (): Ingest => createIngest(connectDedicated(database.url, { lifecycle, log }).ingest, clock);

const newCall = (agentId?: string) => fakeCall('https://example.com/hook', clock.now(), agentId);
type Call = ReturnType<typeof newCall>;

/** An event of a call as a message. */
function messageOf(type: CallMessage['type'], call: Call, more: object = {}): IncomingMessage {
  const data = { ...call[type.replace('call.', '') as 'started'], ...more };
  const envelope = { id: randomUUID(), workspace_id: call.callId, occurred_at: clock.now().toISOString() };
  const message = { ...envelope, type, data } as Message<CallMessage['type']>;
  const { agent_id: agentId, version, webhook_url: url } = data.agent;
  const endpoint = { agentId, workspaceId: call.callId, version, url };
  return { messageId: envelope.id, endpoint, event: makeEvent(message) };
}

type Row = { event: string; edition: number; status: string; blocked: boolean; ready: boolean };

const eventsOf = ({ callId }: Call) =>
  sql.$queryRaw<
    Row[]
  >`SELECT event, edition, status, blocked, ready FROM events WHERE call_id = ${callId}::uuid ORDER BY position, edition`;

describe('messages that are stored together', () => {
  it('block the later events of a call behind the earlier ones, in any order', async () => {
    const call = newCall();
    const ingest = replica();
    const types = ['call.analyzed', 'call.ended', 'call.started'] as const;
    await Promise.all(types.map((type) => ingest(messageOf(type, call))));
    expect(await eventsOf(call)).toMatchObject([
      { event: 'call_started', blocked: false, ready: true },
      { event: 'call_ended', blocked: true, ready: false },
      { event: 'call_analyzed', blocked: true, ready: false },
    ]);
  });

  it('leave only the newest of several editions pending, in any order', async () => {
    const call = newCall();
    const ingest = replica();
    const editions = [2, 1, 4, 3].map((edition) => messageOf('call.analyzed', call, { edition }));
    expect(await Promise.all(editions.map(ingest))).toEqual([true, true, true, true]);
    expect((await eventsOf(call)).map(({ status }) => status)).toEqual([
      'failed',
      'failed',
      'failed',
      'pending',
    ]);
  });

  it('count once each, even if repeated or for the same event', async () => {
    const call = newCall();
    const ingest = replica();
    const first = messageOf('call.started', call);
    const again = { ...messageOf('call.started', call), messageId: first.messageId };
    const all = [first, again, messageOf('call.started', call)];
    expect(await Promise.all(all.map(ingest))).toEqual([true, false, true]);
    expect(await ingest(first)).toBe(false);
    expect(await eventsOf(call)).toHaveLength(1);
  });

  it('keep the newest URL among them', async () => {
    const agentId = randomUUID();
    const ingest = replica();
    const versions = [2, 4, 3].map((version) => {
      const webhook_url = `https://example.com/${version}`;
      return messageOf('call.started', newCall(agentId), {
        agent: { agent_id: agentId, version, webhook_url },
      });
    });
    await Promise.all(versions.map(ingest));
    const [row] = await sql.$queryRaw<
      object[]
    >`SELECT url, version FROM endpoints WHERE agent_id = ${agentId}::uuid`;
    expect(row).toEqual({ url: 'https://example.com/4', version: 4 });
  });

  it('are not lost because of one that cannot be written', async () => {
    const calls = [newCall(), newCall(), newCall()];
    const ingest = replica();
    const all = calls.map((call) => messageOf('call.started', call));
    // No text column takes NUL.
    Object.assign((all[1] as IncomingMessage).endpoint, { url: 'https://example.com/\u0000' });
    const taken = await Promise.allSettled(all.map(ingest));
    expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await Promise.all(calls.map(async (call) => (await eventsOf(call)).length))).toEqual([1, 0, 1]);
  });

  it('never deadlock with those of another replica', async () => {
    const agents = Array.from({ length: 20 }, () => randomUUID());
    const all = agents.map((agentId) => messageOf('call.started', newCall(agentId)));
    const orders = [all, all.toReversed(), [...all.slice(10), ...all.slice(0, 10)]];
    const taken = await Promise.all(orders.flatMap((order) => order.map(replica())));
    expect(taken.filter(Boolean)).toHaveLength(all.length);
  });
});
