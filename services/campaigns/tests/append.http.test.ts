import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHarness, type Harness, soon } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());

const numbers = (...endings: number[]) =>
  endings.map((ending) => ({ phone_number: `+1202555${String(ending).padStart(4, '0')}` }));
const append = (id: string, body: string | object, headers?: Record<string, string>) =>
  h.send('POST', `/v1/campaigns/${id}/contacts`, { body, ...(headers ? { headers } : {}) });
const dialed = async (id: string): Promise<unknown[]> =>
  (await h.contacts(id)).map(({ phone_number }) => phone_number);
const conflict = (status: string) => ({
  status: 409,
  body: { success: false, error: { code: 'CONFLICT', message: expect.stringContaining(status) } },
});
const nextDial = async (id: string, count: number) => {
  const dial = (await h.dials(id, count)).at(-1);
  if (!dial) throw new Error('no dial');
  return dial;
};
/** Waits until this many connections of the database wait for a lock. */
const waiting = (count: number) =>
  soon(async () => {
    const rows = await h.sql.$queryRaw<
      unknown[]
    >`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    expect(rows.length).toBeGreaterThanOrEqual(count);
  });

describe('POST /v1/campaigns/{id}/contacts', () => {
  it('appends and answers 201 with the added contacts and the new total [campaigns.17]', async () => {
    const id = await h.create({ contacts: numbers(1, 2) });
    const contacts = [
      { ...numbers(3)[0], contact_name: 'Ada', custom_data: { a: [1, null] } },
      ...numbers(1),
    ];
    const answer = await append(id, { contacts });
    expect([answer.status, answer.body]).toEqual([
      201,
      { success: true, data: { added: 2, total_contacts: 4 } },
    ]);
    expect(await h.read(id)).toMatchObject({ status: 'draft', total_contacts: 4 });
    expect(await h.contacts(id)).toMatchObject([
      ...numbers(1, 2),
      { ...contacts[0], status: 'pending', attempts: 0 },
      ...numbers(1),
    ]);
  });

  it("replays an Idempotency-Key without adding anything, even after the campaign's end [general.20]", async () => {
    const id = await h.create();
    const body = JSON.stringify({ contacts: h.contactsOf(9000) });
    const key = { 'idempotency-key': 'more' };
    const first = await append(id, body, key);
    await h.verb(id, 'cancel');
    const again = await append(id, body, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await h.read(id)).toMatchObject({ total_contacts: 9001 });
    // The same key for another campaign is a different request.
    expect((await append(await h.create(), body, key)).data).toMatchObject({ total_contacts: 9001 });
  });

  it("answers 409 after the campaign's end [campaigns.17]", async () => {
    const cancelled = await h.create();
    await h.verb(cancelled, 'cancel');
    expect(await append(cancelled, { contacts: numbers(1) })).toMatchObject(conflict('cancelled'));
    const completed = await h.create();
    await h.verb(completed, 'resume');
    await h.say.ended(await nextDial(completed, 1), 'user_hangup');
    await soon(async () => expect(await h.read(completed)).toMatchObject({ status: 'completed' }));
    expect(await append(completed, { contacts: numbers(1) })).toMatchObject(conflict('completed'));
    expect(await h.read(completed)).toMatchObject({ total_contacts: 1 });
  });

  it.each(['scheduled', 'paused'])(
    'accepts contacts for a campaign that is %s [campaigns.17]',
    async (status) => {
      const id = await h.create(status === 'scheduled' ? { scheduled_at: '2099-01-01T00:00:00Z' } : {});
      if (status === 'paused') await h.verb(id, 'resume');
      if (status === 'paused') await h.verb(id, 'pause');
      expect((await append(id, { contacts: numbers(8) })).data).toMatchObject({ added: 1 });
      expect(await h.read(id)).toMatchObject({ status, total_contacts: 2 });
    },
  );

  it('a running campaign dials appended contacts before it completes [campaigns.17]', async () => {
    const id = await h.create({ contacts: numbers(1) });
    await h.verb(id, 'resume');
    const first = await nextDial(id, 1);
    await append(id, { contacts: numbers(2) });
    await h.say.ended(first, 'user_hangup');
    const second = await nextDial(id, 2);
    expect(second.to_number).toBe('+12025550002');
    expect(await h.read(id)).toMatchObject({ status: 'running' });
    await h.say.ended(second, 'user_hangup');
    await soon(async () =>
      expect(await h.read(id)).toMatchObject({ status: 'completed', successful_calls: 2 }),
    );
  });

  it('skip_duplicates skips numbers that the campaign has, and repeated ones [campaigns.17]', async () => {
    const id = await h.create({ contacts: numbers(1, 1, 2) });
    const answer = await append(id, { skip_duplicates: true, contacts: numbers(2, 3, 3, 4, 1) });
    expect(answer.data).toEqual({ added: 2, total_contacts: 5 });
    // Existing duplicates stay: nothing requested otherwise.
    expect(await dialed(id)).toEqual(numbers(1, 1, 2, 3, 4).map(({ phone_number }) => phone_number));
    expect((await append(id, { contacts: numbers(4), skip_duplicates: true })).data).toEqual({
      added: 0,
      total_contacts: 5,
    });
  });

  it.each([
    [{}, 'contacts', 'required'],
    [{ contacts: [] }, 'contacts', 'too_small'],
    [{ contacts: 'x' }, 'contacts', 'invalid_type'],
    [{ contacts: [...numbers(1), { phone_number: 'x' }] }, 'contacts.1.phone_number', 'invalid_format'],
    [{ contacts: numbers(1), skip_duplicates: 1 }, 'skip_duplicates', 'invalid_type'],
  ])('422 for %j names %s [campaigns.2]', async (body, path, code) => {
    const id = await h.create();
    const answer = await append(id, body);
    expect([answer.status, answer.body]).toMatchObject([422, { error: { details: [{ path, code }] } }]);
    expect(await h.read(id)).toMatchObject({ total_contacts: 1 });
  });

  it('all or nothing: an invalid contact at the end of many leaves none of them [campaigns.2]', async () => {
    const id = await h.create();
    const contacts = [...Array(40_000).fill(numbers(1)[0]), { phone_number: 'x' }];
    const answer = await append(id, { contacts });
    expect(answer.body).toMatchObject({ error: { details: [{ path: 'contacts.40000.phone_number' }] } });
    expect(await h.contacts(id)).toHaveLength(1);
  });

  it('500 CONTACTS_INSERT_FAILED when the database fails, and nothing is added [campaigns.2]', async () => {
    const id = await h.create();
    await h.sql
      .$executeRaw`ALTER TABLE contacts ADD CONSTRAINT refuse CHECK (phone_number <> '+12025559999') NOT VALID`;
    const answer = await append(id, { contacts: numbers(5, 9999) });
    await h.sql.$executeRaw`ALTER TABLE contacts DROP CONSTRAINT refuse`;
    expect([answer.status, answer.body]).toMatchObject([500, { error: { code: 'CONTACTS_INSERT_FAILED' } }]);
    expect(await h.read(id)).toMatchObject({ total_contacts: 1 });
  });

  it('a campaign that ends first refuses the append, which leaves nothing [campaigns.17]', async () => {
    const id = await h.create();
    const answer = await h.sql.$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE campaigns SET status = 'completed' WHERE id = ${id}::uuid`;
      const sent = append(id, { contacts: numbers(5) });
      await waiting(1);
      return { sent };
    });
    expect(await answer.sent).toMatchObject(conflict('completed'));
    expect(await h.contacts(id)).toHaveLength(1);
  });

  it('an append that comes first keeps the campaign from completing [campaigns.17]', async () => {
    const id = await h.create();
    await h.verb(id, 'resume');
    const dial = await nextDial(id, 1);
    await h.say.dialing(dial);
    await soon(async () => expect((await h.contacts(id))[0]).toMatchObject({ status: 'dialing' }));
    const answer = await h.sql.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM campaigns WHERE id = ${id}::uuid FOR UPDATE`;
      const sent = append(id, { contacts: numbers(6) });
      await waiting(1);
      // The last contact gets its outcome: without the earlier append the campaign would complete.
      await h.say.ended(dial, 'user_hangup');
      await waiting(2);
      return { sent };
    });
    expect(await answer.sent).toMatchObject({ status: 201, data: { added: 1, total_contacts: 2 } });
    expect((await nextDial(id, 2)).to_number).toBe('+12025550006');
    expect(await h.read(id)).toMatchObject({ status: 'running', completed_calls: 1 });
  });

  it('keeps the order of the list across pages when appends overlap [general.16]', async () => {
    const id = await h.create({ contacts: h.contactsOf(1500) });
    await Promise.all(Array.from({ length: 4 }, () => append(id, { contacts: h.contactsOf(1200) })));
    expect(await h.read(id)).toMatchObject({ total_contacts: 1500 + 4 * 1200 });
    const wrong = await h.sql.$queryRaw<
      unknown[]
    >`WITH placed AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS position FROM contacts WHERE campaign_id = ${id}::uuid)
       SELECT 1 FROM placed FULL JOIN (SELECT * FROM contact_marks WHERE campaign_id = ${id}::uuid) m USING (id)
       WHERE (placed.position % 1000 = 0 OR m.id IS NOT NULL) AND m.position IS DISTINCT FROM placed.position`;
    expect(wrong).toEqual([]);
  });
});
