import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { amqpUrl, faultProxy } from '@parley/testkit';
import { createHarness, ended, type Harness, soon, WORKSPACE } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());

/** A running campaign with one contact, and its dial. */
async function dialed(more: Record<string, unknown> = {}) {
  const id = await h.create(more);
  await h.verb(id, 'resume');
  const [dial] = await h.dials(id, 1);
  if (!dial) throw new Error('no dial');
  return { id, dial };
}
const contactIs = (id: string, expected: object) =>
  soon(async () => expect((await h.contacts(id))[0]).toMatchObject(expected));

describe('call.ended', () => {
  it('plans a retry from the end of the attempt, dials it when it is due, and fails the contact after the last', async () => {
    const { id, dial } = await dialed({ max_retries: 1, retry_intervals: [2] });
    const ended_at = new Date(Date.now() - 118_000).toISOString();
    await h.say.dialing(dial);
    await h.say.ended(dial, 'dial_no_answer', { ended_at });
    await contactIs(id, {
      status: 'retrying',
      attempts: 1,
      last_outcome: 'dial_no_answer',
      next_attempt_at: new Date(Date.parse(ended_at) + 120_000).toISOString(),
    });
    expect(await h.read(id)).toMatchObject({ status: 'running', completed_calls: 0 });
    const [, second] = await h.dials(id, 2);
    if (!second) throw new Error('no retry');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(ended_at) + 120_000);
    expect(second.contact_id).toBe(dial.contact_id);
    expect(second.call_id).not.toBe(dial.call_id);
    await h.say.ended(second, 'voicemail');
    await contactIs(id, {
      status: 'failed',
      attempts: 2,
      last_call_id: second.call_id,
      last_outcome: 'voicemail',
    });
    await soon(async () => expect(await h.read(id)).toMatchObject({ status: 'completed', failed_calls: 1 }));
  });

  it('may arrive before call.dialing and call.started, and twice', async () => {
    const { id, dial } = await dialed({ contacts: h.contactsOf(2) });
    const messageId = await h.say.ended(dial, 'user_hangup');
    await contactIs(id, { status: 'succeeded', attempts: 1 });
    await h.bus.publish('call.ended', WORKSPACE, ended(dial, 'user_hangup'), { id: messageId });
    await h.say.ended(dial, 'dial_busy');
    await h.say.started(dial);
    await h.say.dialing(dial);
    const [, other] = await h.dials(id, 2);
    if (!other) throw new Error('no second dial');
    await h.say.ended(other, 'agent_hangup');
    await soon(async () => {
      expect(await h.read(id)).toMatchObject({
        status: 'completed',
        successful_calls: 2,
        completed_calls: 2,
      });
    });
    await contactIs(id, { status: 'succeeded', attempts: 1, last_outcome: 'user_hangup' });
  });

  it('of a granted and then withdrawn dial: the attempt is undone, and the last call is the previous one [campaigns.11]', async () => {
    const { id, dial } = await dialed({ max_retries: 3, retry_intervals: [1] });
    await h.say.dialing(dial);
    const longAgo = new Date(Date.now() - 120_000).toISOString();
    await h.say.ended(dial, 'dial_busy', { ended_at: longAgo });
    const [, second] = await h.dials(id, 2);
    if (!second) throw new Error('no retry');
    await h.say.dialing(second);
    await contactIs(id, { status: 'dialing', attempts: 2, last_call_id: second.call_id });
    await h.verb(id, 'pause');
    await h.say.ended(second, 'agent_hangup', { withdrawn: true });
    await contactIs(id, {
      ...{ status: 'retrying', attempts: 1, last_call_id: dial.call_id, last_outcome: 'dial_busy' },
    });
  });

  it('of a call without a campaign, or of an unknown attempt, changes nothing', async () => {
    const { id, dial } = await dialed();
    await h.bus.publish('call.ended', WORKSPACE, { ...ended(dial, 'user_hangup'), campaign: null });
    const unknown = { ...dial, call_id: '0189aaaa-0000-7000-8000-00000000ffff' };
    await h.say.ended(unknown, 'user_hangup');
    await h.say.dialing(dial);
    await contactIs(id, { status: 'dialing' });
    expect(await h.bus.deadLetters('campaigns.calls')).toEqual([]);
  });

  it('counts exactly when many calls end at once', async () => {
    const id = await h.create({ contacts: h.contactsOf(60) });
    await h.verb(id, 'resume');
    const dials = await h.dials(id, 60);
    await Promise.all(
      dials.flatMap((dial, i) => [
        h.say.dialing(dial),
        h.say.ended(dial, i % 4 ? 'user_hangup' : 'dial_failed'),
      ]),
    );
    await soon(async () => {
      expect(await h.read(id)).toMatchObject({
        status: 'completed',
        completed_calls: 60,
        successful_calls: 45,
        failed_calls: 15,
      });
    });
  });
});

describe('dial.refused', () => {
  it('do_not_call: failed without a dial [campaigns.19]', async () => {
    const { id, dial } = await dialed({ max_retries: 3 });
    await h.say.refused(dial, 'do_not_call');
    await contactIs(id, { status: 'failed', attempts: 0, last_call_id: null, last_outcome: 'do_not_call' });
    await soon(async () => expect(await h.read(id)).toMatchObject({ status: 'completed', failed_calls: 1 }));
  });

  it.each(['number_unavailable', 'agent_unavailable'] as const)('%s: failed', async (reason) => {
    const { id, dial } = await dialed({ max_retries: 3 });
    await h.say.refused(dial, reason);
    await contactIs(id, { status: 'failed', last_outcome: 'dial_failed' });
  });
});

describe('phone-number.deleted', () => {
  it('removes the number from its campaigns', async () => {
    const { agentId, phoneNumber, phoneNumberId } = h.furnish();
    const id = await h.create({ agent_id: agentId, phone_number: phoneNumber });
    const item = async () => {
      const { data } = await h.send('GET', `/v1/campaigns?agent_id=${agentId}`);
      return (data as unknown as { campaign_id: string; phone_number: string | null }[])[0];
    };
    expect(await item()).toMatchObject({ campaign_id: id, phone_number: phoneNumber });
    await h.bus.publish('phone-number.deleted', WORKSPACE, {
      phone_number_id: phoneNumberId,
      phone_number: phoneNumber,
      version: 2,
    });
    await soon(async () => expect(await item()).toMatchObject({ phone_number: null }));
  });
});

describe('a message that always fails', () => {
  it('blocks no other attempt, and is retried after them', async () => {
    const id = await h.create({ contacts: h.contactsOf(3) });
    await h.verb(id, 'resume');
    const dials = await h.dials(id, 3);
    const [bad] = dials;
    if (!bad) throw new Error('no dial');
    await h.sql
      .$executeRaw`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$`;
    await h.sql.$executeRaw`CREATE TRIGGER refuse BEFORE UPDATE ON contacts FOR EACH ROW
       WHEN (OLD.id = '${raw(bad.contact_id)}') EXECUTE FUNCTION refuse()`;
    for (const dial of dials) {
      const end = h.endedOf(dial, 'user_hangup');
      h.peers.states.set(dial.call_id, { callId: dial.call_id, state: 'ended', ended: end });
    }
    const silence = () =>
      h.sql
        .$executeRaw`UPDATE attempts SET news_at = now() - CASE WHEN id = ${bad.call_id}::uuid THEN interval '9 h' ELSE interval '2 h' END
         WHERE campaign_id = ${id}::uuid`;
    await silence();
    await soon(async () => expect(await h.read(id)).toMatchObject({ successful_calls: 2 }));
    await soon(async () =>
      expect(
        await h.sql
          .$queryRaw`SELECT 1 FROM attempts WHERE id = ${bad.call_id}::uuid AND news_at < now() - interval '1 h'`,
      ).toEqual([]),
    );
    await h.sql.$executeRaw`DROP TRIGGER refuse ON contacts`;
    await silence();
    await soon(async () =>
      expect(await h.read(id)).toMatchObject({ status: 'completed', successful_calls: 3 }),
    );
  });
});

it('a dial that waits for the broker is requested once, however often it is checked', async () => {
  const broker = await faultProxy(amqpUrl());
  const out = await createHarness({ env: { AMQP_URL: broker.url } });
  broker.cut();
  const id = await out.create({ contacts: out.contactsOf(3) });
  await out.verb(id, 'resume');
  const waiting = async () =>
    (
      await out.sql.$queryRaw<unknown[]>`SELECT 1 FROM outbox
    WHERE type = 'dial.requested'`
    ).length;
  await soon(async () => expect(await waiting()).toBe(3));
  for (let check = 1; check <= 3; check += 1) {
    await out.sql.$executeRaw`UPDATE attempts SET news_at = now() - interval '2 h'`;
    await soon(async () =>
      expect(await out.sql.$queryRaw`SELECT 1 FROM attempts WHERE news_at < now() - interval '1 h'`).toEqual(
        [],
      ),
    );
  }
  expect(await waiting()).toBe(3);

  broker.restore();
  expect(await out.dials(id, 3)).toHaveLength(3);
  // What was published and is unknown nevertheless was lost.
  await out.sql.$executeRaw`UPDATE attempts SET news_at = now() - interval '2 h'`;
  await out.dials(id, 6);
  await out.close();
  await broker.close();
});
