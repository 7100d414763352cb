import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHarness, type Harness, OTHER_WORKSPACE, type Replica, soon } from './harness.ts';

let h: Harness;
let second: Replica;
beforeAll(async () => {
  h = await createHarness();
  second = await h.boot();
});
afterAll(() => h.close());

const open = async (id: string): Promise<number> => {
  const [row] = await h.sql.$queryRaw<
    { count: number }[]
  >`SELECT count(*)::int AS count FROM attempts WHERE campaign_id = ${id}::uuid AND state = 'requested'`;
  return row?.count ?? -1;
};

describe('the dial window of a number', () => {
  it('holds across replicas: telephony never has more undialed requests than for three seconds', async () => {
    const id = await h.create({ contacts: h.contactsOf(40) }, 5);
    await h.verb(id, 'resume');
    let most = 0;
    for (let said = 0; said < 40; said += 1) {
      const dial = (await h.dials(id, said + 1))[said];
      most = Math.max(most, await open(id));
      if (dial) await h.say.dialing(dial);
    }
    expect(most).toBeLessThanOrEqual(3 * 5);
    expect(new Set(h.dialsOf(id).map(({ contact_id }) => contact_id)).size).toBe(40);
    expect(h.dialsOf(id)).toHaveLength(40);
  });

  it('is never exceeded by concurrent claims', async () => {
    const { agentId, phoneNumber, phoneNumberId } = h.furnish();
    h.peers.rates.set(phoneNumberId, { max_cps: 1, is_active: false });
    const id = await h.create({ agent_id: agentId, phone_number: phoneNumber, contacts: h.contactsOf(100) });
    await h.verb(id, 'resume');
    const claims = Array.from({ length: 12 }, (_, i) =>
      (i % 2 ? h.first : second).context.claimDials(new Map([[phoneNumberId, 7]]), new Date()),
    );
    expect((await Promise.all(claims)).reduce((sum, claimed) => sum + claimed, 0)).toBe(7);
  });

  it('is shared fairly by the campaigns of a number, one dial at a time', async () => {
    const { agentId, phoneNumber, phoneNumberId } = h.furnish(1);
    const shared = { agent_id: agentId, phone_number: phoneNumber, contacts: h.contactsOf(30) };
    h.peers.rates.set(phoneNumberId, { max_cps: 1, is_active: false });
    const ids = [await h.create(shared), await h.create(shared), await h.create(shared)];
    for (const id of ids) await h.verb(id, 'resume');
    for (let turn = 0; turn < 12; turn += 1) {
      await h.first.context.claimDials(new Map([[phoneNumberId, turn + 1]]), new Date());
    }
    for (const id of ids) expect(await open(id)).toBe(4);
  });

  it('of one workspace is not delayed by many waiting campaigns of others, nor by a broken one', async () => {
    const waiting = await Promise.all(
      Array.from({ length: 20 }, () => h.create({ contacts: h.contactsOf(5) }, 1)),
    );
    for (const id of waiting) await h.verb(id, 'resume');
    for (const id of waiting) await h.dials(id, 1);
    const [broken] = waiting;
    await h.sql
      .$executeRaw`UPDATE campaigns SET business_hours = '{"tz": 7}', phone_number_id = gen_random_uuid() WHERE id = ${broken}::uuid`;
    await h.sql
      .$executeRaw`INSERT INTO dial_lanes SELECT phone_number_id FROM campaigns WHERE id = ${broken}::uuid`;
    const { agentId, phoneNumber } = h.furnish();
    const body = {
      campaign_name: 'Late',
      agent_id: agentId,
      phone_number: phoneNumber,
      contacts: h.contactsOf(40),
    };
    const workspaceId = OTHER_WORKSPACE;
    const late = String((await h.send('POST', '/v1/campaigns', { body, workspaceId })).data.campaign_id);
    await h.send('POST', `/v1/campaigns/${late}/resume`, { workspaceId });
    await h.dials(late, 40);
    await h.sql.$executeRaw`UPDATE campaigns SET status = 'cancelled' WHERE id = ${broken}::uuid`;
  });

  it('is closed while the number is inactive', async () => {
    const { agentId, phoneNumber, phoneNumberId } = h.furnish();
    h.peers.rates.set(phoneNumberId, { max_cps: 5, is_active: false });
    const id = await h.create({ agent_id: agentId, phone_number: phoneNumber });
    await h.verb(id, 'resume');
    const other = await h.create();
    await h.verb(other, 'resume');
    await h.dials(other, 1);
    expect(h.dialsOf(id)).toHaveLength(0);
    h.peers.rates.set(phoneNumberId, { max_cps: 5, is_active: true });
    await h.dials(id, 1);
  });

  it('stays open while telephony is unavailable', async () => {
    h.peers.mode.down = true;
    const { agentId, phoneNumber, phoneNumberId } = h.furnish();
    h.peers.mode.down = false;
    const id = await h.create({ agent_id: agentId, phone_number: phoneNumber });
    h.peers.mode.down = true;
    await h.verb(id, 'resume');
    await h.dials(id, 1);
    h.peers.mode.down = false;
    expect(phoneNumberId).toBeDefined();
  });
});

describe('a replica that dies', () => {
  it('leaves no work that another does not continue', async () => {
    const id = await h.create({ contacts: h.contactsOf(10) }, 3);
    await h.verb(id, 'resume');
    await h.dials(id, 3);
    const third = await h.boot();
    await second.stop();
    for (let said = 0; said < 10; said += 1) {
      const dial = (await h.dials(id, said + 1))[said];
      if (!dial) throw new Error('no dial');
      await h.say.dialing(dial);
      await h.say.ended(dial, 'user_hangup');
    }
    await soon(async () =>
      expect(await h.read(id)).toMatchObject({ status: 'completed', completed_calls: 10 }),
    );
    expect(h.dialsOf(id)).toHaveLength(10);
    await third.stop();
  });

  it("between an outcome and the campaign's end: the sweep completes the campaign", async () => {
    const id = await h.create();
    await h.verb(id, 'resume');
    const [dial] = await h.dials(id, 1);
    if (!dial) throw new Error('no dial');
    const update = { kind: 'ended', ended: ended(dial.call_id) } as const;
    await h.first.context.attempts.apply(dial.call_id, update, new Date());
    await soon(async () => expect(await h.read(id)).toMatchObject({ status: 'completed' }));
  });
});

function ended(_callId: string) {
  return {
    disconnection_reason: 'user_hangup' as const,
    answered_at: new Date().toISOString(),
    ended_at: new Date().toISOString(),
    retryable: false,
    voicemail_message_left: false,
  };
}
