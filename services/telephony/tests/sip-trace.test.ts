import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import { maskMessage, type TracedMessage } from '../src/carriers/sip/trace.ts';
import { createWithoutErased } from '../src/sessions/without-erased.ts';
import { createSipMessages } from '../src/sip-trace/sip-messages.store.ts';
import { createTraceWriter } from '../src/sip-trace/trace-writer.ts';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const workspace = newWorkspace();
const PERSON = '+491711234567';

let harness: Harness;
let callId: string;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const newCall = async (): Promise<string> => {
  const { id } = await seedCall(harness.sql, workspace, { to_number: PERSON });
  return id;
};
const traceOf = async (id: string): Promise<Json> =>
  (await harness.callAsService(workspace, 'GET', `/internal/calls/${id}/sip-trace`)).body;
const message = (callId: string | null, text: string): TracedMessage => ({
  callId,
  at: new Date(),
  direction: 'sent',
  transport: 'tls',
  local: '127.0.0.1:40000',
  remote: '203.0.113.5:5061',
  message: maskMessage(text),
});
const sipMessages = () =>
  createSipMessages(harness.context.prisma, createWithoutErased(harness.context.erasedNumbers));
const add = (id: string, ...texts: string[]) =>
  sipMessages().add(texts.map((text) => ({ ...message(id, text), callId: id })));

describe('the SIP messages of a call', () => {
  it('are stored a moment later, in their order, and read by the operator alone [sip.37]', async () => {
    callId = await newCall();
    const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
    const messages = sipMessages();
    const trace = createTraceWriter({ messages, dropped: () => {}, log, lifecycle });
    trace(message(null, 'OPTIONS sip:a SIP/2.0'));
    for (const text of ['INVITE sip:a SIP/2.0', 'ACK sip:a SIP/2.0']) trace(message(callId, text));
    await eventually(async () => expect((await traceOf(callId)).data).toHaveLength(2));
    expect((await traceOf(callId)).data.map((it: Json) => it.message)).toEqual([
      'INVITE sip:a SIP/2.0',
      'ACK sip:a SIP/2.0',
    ]);
    const path = `/internal/calls/${callId}/sip-trace`;
    expect((await harness.ask(workspace, 'GET', path)).status).toBe(403);
    expect((await traceOf(randomUUID())).error.code).toBe('NOT_FOUND');
    await lifecycle.stop('test');
  });

  it('are written when the process stops, and counted when they cannot be', async () => {
    const id = await newCall();
    let dropped = 0;
    const write = async (add: (count: number) => Promise<void>) => {
      const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
      const trace = createTraceWriter({
        messages: { add: (batch) => add(batch.length) },
        dropped: (count) => {
          dropped += count;
        },
        log,
        lifecycle,
      });
      for (let i = 0; i < 5_200; i += 1) trace(message(id, 'x'));
      await lifecycle.stop('test');
    };
    await write(async () => {});
    expect(dropped).toBe(200);
    await write(() => Promise.reject(new Error('no')));
    expect(dropped).toBe(200 + 5_200);
  });

  it('are limited in number and size for each call [sip.37]', async () => {
    const [many, large] = [await newCall(), await newCall()];
    for (let i = 0; i < 3; i += 1) await add(many, ...Array.from({ length: 90 }, (_, n) => `${i} ${n}`));
    expect((await traceOf(many)).data).toHaveLength(200);
    for (let i = 0; i < 4; i += 1) await add(large, ...Array.from({ length: 10 }, () => 'x'.repeat(8_000)));
    expect((await traceOf(large)).data).toHaveLength(32);
  });

  it('contain no password, digest, key of media or pressed key [sip.37]', async () => {
    const id = await newCall();
    const secrets = [
      'hunter2',
      '5ccc069c403ebaf9f0171e9517f40e41',
      'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz',
      '4711',
    ];
    await add(
      id,
      [
        'INVITE sip:user:hunter2@a SIP/2.0',
        'Authorization: Digest username="u", realm="r",\r\n response="5ccc069c403ebaf9f0171e9517f40e41"',
        '',
        'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz',
        'Signal=4711',
      ].join('\r\n'),
    );
    const [stored] = (await traceOf(id)).data;
    for (const secret of secrets) expect(stored.message).not.toContain(secret);
    expect(stored.message).toContain('username="u"');
  });

  it('contain no key of an INFO in any form, and half a character discards none [sip.37]', async () => {
    const id = await newCall();
    const info = (type: string, key: string) =>
      `INFO sip:a SIP/2.0\r\nCSeq: 2 INFO\r\n${type}\r\nContent-Length: 1\r\n\r\n${key}`;
    await add(
      id,
      info('Content-Type: application/dtmf', '7'),
      info('c: application/dtmf-relay', 'Signal=7\r\nDuration=100'),
      `MESSAGE sip:a SIP/2.0\r\n\r\n${'x'.repeat(8_192 - 26)}😀`,
    );
    const { data } = await traceOf(id);
    expect(data).toHaveLength(3);
    for (const { message: text } of data.slice(0, 2)) expect(text.split('\r\n\r\n')[1]).toBe('********');
  });

  it('go with the erasure of the person, also those that arrive afterwards, and are masked in other calls [sip.37]', async () => {
    const own = await newCall();
    const { id: other } = await seedCall(harness.sql, workspace);
    await add(own, `INVITE sip:${PERSON}@a SIP/2.0`);
    await add(other, `REFER sip:a SIP/2.0\r\nRefer-To: <sip:${PERSON}@a>`);
    await erase();
    expect((await traceOf(own)).data).toEqual([]);
    expect((await traceOf(other)).data[0].message).not.toContain(PERSON.slice(1));
    await add(own, `BYE sip:${PERSON}@a SIP/2.0`);
    expect((await traceOf(own)).data).toEqual([]);
  });

  it('of a call that was transferred to the person are masked also after the erasure, and of later calls not [sip.37]', async () => {
    const at = new Date(Date.now() + 120_000);
    const { id: transferred } = await seedCall(harness.sql, workspace, LIVE);
    const { id: later } = await seedCall(harness.sql, workspace, { ...LIVE, created_at: at });
    const invite = `INVITE sip:${PERSON}@a SIP/2.0`;
    await add(transferred, invite);
    await erase();
    await add(transferred, `BYE sip:${PERSON}@a SIP/2.0`);
    const messages: Json[] = (await traceOf(transferred)).data;
    expect(messages.map(({ message: text }) => text.slice(0, 6))).toEqual(['INVITE', 'BYE si']);
    expect(JSON.stringify(messages)).not.toContain(PERSON.slice(1));
    await sipMessages().add([{ ...message(later, invite), callId: later, at }]);
    expect((await traceOf(later)).data).toMatchObject([{ message: invite }]);
  });

  it('without a call are removed after ten minutes', async () => {
    const id = randomUUID();
    await add(id, 'INVITE sip:a SIP/2.0');
    const messages = sipMessages();
    const count = async () =>
      (
        await harness.sql.$queryRaw<
          Json[]
        >`SELECT count(*)::int AS n FROM sip_messages WHERE call_id = ${id}::uuid`
      )[0].n;
    await messages.sweep();
    expect(await count()).toBe(1);
    await harness.sql
      .$executeRaw`UPDATE sip_messages SET at = at - interval '11 minutes' WHERE call_id = ${id}::uuid`;
    await messages.sweep();
    expect(await count()).toBe(0);
  });
});

async function erase(): Promise<void> {
  const path = `/internal/removals/${randomUUID()}/advance`;
  const body = { pass: 1, phone_number: PERSON, keep_do_not_call: true };
  await eventually(async () => {
    const { body: answer } = await harness.callAsService(workspace, 'POST', path, body);
    expect(answer.data).toMatchObject({ done: true });
  });
  // An erasure takes five seconds, longer than a process caches which numbers were erased.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
}
