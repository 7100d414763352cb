import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createContactStore } from '../src/contacts/contacts.store.ts';
import { createHarness, type Harness, WORKSPACE } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness({ jobs: false, consumers: false });
});
afterAll(() => h.close());

describe('GET /v1/campaigns/{id}/contacts', () => {
  it('pages in the order of the upload [campaigns.16]', async () => {
    const id = await h.create({ campaign_name: 'pages', contacts: h.contactsOf(7) });
    const seen: unknown[] = [];
    for (let offset: string | null = '0'; offset !== null; ) {
      const { body } = await h.send('GET', `/v1/campaigns/${id}/contacts?limit=3&offset=${offset}`);
      seen.push(...(body.data as { phone_number: string }[]).map(({ phone_number }) => phone_number));
      const pagination = body.pagination as { total: number; next_cursor: string | null };
      expect(pagination.total).toBe(7);
      offset = pagination.next_cursor;
    }
    expect(seen).toEqual(h.contactsOf(7).map(({ phone_number }) => phone_number));
  });

  it('returns 50 by default, and at most 1000 [campaigns.16]', async () => {
    const id = await h.create({ campaign_name: 'limits', contacts: h.contactsOf(1001) });
    const pagination = async (query: string) =>
      (await h.send('GET', `/v1/campaigns/${id}/contacts${query}`)).body.pagination;
    expect(await pagination('')).toEqual({ total: 1001, count: 50, next_cursor: '50' });
    expect(await pagination('?limit=1000')).toEqual({ total: 1001, count: 1000, next_cursor: '1000' });
  });

  it('reads distant pages of a long list, in the order of the upload [campaigns.16]', async () => {
    const contacts = h.contactsOf(3500);
    const id = await h.create({ campaign_name: 'long', contacts });
    for (const offset of [0, 999, 1000, 1001, 2999, 3400, 3499]) {
      const { body } = await h.send('GET', `/v1/campaigns/${id}/contacts?limit=150&offset=${offset}`);
      const expected = contacts.slice(offset, offset + 150).map(({ phone_number }) => phone_number);
      expect((body.data as { phone_number: string }[]).map((it) => it.phone_number)).toEqual(expected);
      const next = offset + 150 < 3500 ? String(offset + 150) : null;
      expect(body.pagination).toEqual({ total: 3500, count: expected.length, next_cursor: next });
    }
    for (const offset of [3500, 100_000]) {
      const { body } = await h.send('GET', `/v1/campaigns/${id}/contacts?offset=${offset}`);
      expect(body).toMatchObject({ data: [], pagination: { total: 3500, next_cursor: null } });
    }
  });

  it('pages of large contacts contain at most a mebibyte, and the next page continues there, also with a status filter [trust.1] [general.25]', async () => {
    const contacts = h
      .contactsOf(200)
      .map((contact) => ({ ...contact, custom_data: { a: 'x'.repeat(15_000) } }));
    const id = await h.create({ campaign_name: 'large', contacts });
    for (const filter of ['', '&status=pending']) {
      const seen: string[] = [];
      const counts: number[] = [];
      for (let offset: string | null = '0'; offset !== null; ) {
        const { body } = await h.send(
          'GET',
          `/v1/campaigns/${id}/contacts?limit=1000&offset=${offset}${filter}`,
        );
        expect(JSON.stringify(body).length).toBeLessThan(1.2 * 1024 ** 2);
        seen.push(...(body.data as { phone_number: string }[]).map(({ phone_number }) => phone_number));
        const pagination = body.pagination as { count: number; next_cursor: string | null };
        counts.push(pagination.count);
        offset = pagination.next_cursor;
      }
      expect(seen).toEqual(contacts.map(({ phone_number }) => phone_number));
      expect(counts).toEqual([69, 69, 62]);
    }
  });

  it('reads no more of the list for the last page than for the first [campaigns.16]', async () => {
    const id = await h.create({ campaign_name: 'marks', contacts: h.contactsOf(5000) });
    const marks = await h.sql.$queryRaw<
      { position: number; nth: number }[]
    >`SELECT m.position, (SELECT count(*)::int FROM contacts c WHERE c.campaign_id = m.campaign_id AND c.id < m.id) AS nth
       FROM contact_marks m WHERE campaign_id = ${id}::uuid ORDER BY position`;
    expect(marks).toEqual([0, 1000, 2000, 3000, 4000].map((position) => ({ position, nth: position })));
  });

  it('filters by status [campaigns.16]', async () => {
    const id = await h.create({ campaign_name: 'filter', contacts: h.contactsOf(2) });
    expect(await h.contacts(id, '?status=pending')).toHaveLength(2);
    for (const status of ['dialing', 'in_progress', 'retrying', 'succeeded', 'failed', 'cancelled']) {
      expect(await h.contacts(id, `?status=${status}`)).toHaveLength(0);
    }
  });

  it('pages through a status in the order of the upload, including contacts about to be dialed [campaigns.16]', async () => {
    const id = await h.create({ contacts: h.contactsOf(6) });
    await h.sql
      .$executeRaw`UPDATE contacts SET status = 'queued' WHERE campaign_id = ${id}::uuid AND phone_number ~ '[024]$'`;
    const { body } = await h.send('GET', `/v1/campaigns/${id}/contacts?status=pending&limit=3&offset=2`);
    const expected = h.contactsOf(6).slice(2, 5);
    expect(body).toMatchObject({
      data: expected.map((contact) => ({ ...contact, status: 'pending' })),
      pagination: { total: 6, count: 3, next_cursor: '5' },
    });
  });

  it('finds the few contacts of a status among many others without reading those [campaigns.16]', async () => {
    // All contacts of another campaign are pending, so that the planner sees `pending` as the usual status.
    await h.create({ contacts: h.contactsOf(6000) });
    const id = await h.create({ contacts: h.contactsOf(3000) });
    await h.sql
      .$executeRaw`UPDATE contacts SET status = 'succeeded' WHERE campaign_id = ${id}::uuid AND phone_number < '+12025552997'`;
    await h.sql.$executeRaw`VACUUM ANALYZE contacts`;
    const { prisma, campaigns } = h.first.context;
    const found = await campaigns.find(WORKSPACE, id);
    if (!found) throw new Error('no campaign');
    const read = await prisma.$transaction(async (tx) => {
      const page = { status: 'pending' as const, limit: 50, offset: 0 };
      expect(await createContactStore(tx as typeof prisma).list(found.campaign, page)).toMatchObject({
        total: 3,
      });
      const [row] = await tx.$queryRaw<
        { rows: number }[]
      >`SELECT (pg_stat_get_xact_tuples_returned(c) + pg_stat_get_xact_tuples_fetched(c))::int AS rows
         FROM (SELECT 'contacts'::regclass AS c) AS of`;
      return row?.rows;
    });
    expect(read).toBeLessThan(100);
  });

  it('finds contacts by a part of the number or of the name, in the order of the upload, and counts those', async () => {
    const contacts = [
      { phone_number: '+14155550199', contact_name: 'Ada Müller' },
      { phone_number: '+4930123456', contact_name: 'Zoë 100%' },
      { phone_number: '+14155550198', contact_name: 'Room 4930' },
      { phone_number: '+12125550101' },
    ];
    const id = await h.create({ contacts });
    const found = async (search: string, more = '') => {
      const query = `?search=${encodeURIComponent(search)}${more}`;
      const { body } = await h.send('GET', `/v1/campaigns/${id}/contacts${query}`);
      const data = body.data as { phone_number: string }[];
      expect(body.pagination).toEqual({ total: data.length, count: data.length, next_cursor: null });
      return data.map(({ phone_number }) => contacts.findIndex((it) => it.phone_number === phone_number));
    };
    expect(await found('+1 (415) 555-0199')).toEqual([0]);
    expect(await found('415 555')).toEqual([0, 2]);
    expect(await found('0101')).toEqual([3]);
    expect(await found('+1')).toEqual([0, 2, 3]);
    expect(await found('030 123')).toEqual([1]);
    expect(await found('4930')).toEqual([1, 2]);
    expect(await found('MÜLLER')).toEqual([0]);
    expect(await found('zoë')).toEqual([1]);
    expect(await found('%')).toEqual([1]);
    expect(await found('o')).toEqual([1, 2]);
    expect(await found('room _')).toEqual([]);
    expect(await found('nobody')).toEqual([]);
    await h.sql
      .$executeRaw`UPDATE contacts SET status = 'succeeded' WHERE campaign_id = ${id}::uuid AND phone_number = '+14155550199'`;
    expect(await found('415', '&status=pending')).toEqual([2]);
    expect(await found('415', '&status=succeeded')).toEqual([0]);
  });

  it('pages through what it found, and finds none of another campaign', async () => {
    await h.create({ contacts: h.contactsOf(20) });
    const id = await h.create({ contacts: h.contactsOf(12) });
    const seen: string[] = [];
    for (let offset: string | null = '0'; offset !== null; ) {
      const { body } = await h.send(
        'GET',
        `/v1/campaigns/${id}/contacts?search=%2B1202&limit=5&offset=${offset}`,
      );
      seen.push(...(body.data as { phone_number: string }[]).map(({ phone_number }) => phone_number));
      const pagination = body.pagination as { total: number; next_cursor: string | null };
      expect(pagination.total).toBe(12);
      offset = pagination.next_cursor;
    }
    expect(seen).toEqual(h.contactsOf(12).map(({ phone_number }) => phone_number));
  });

  it('cancelling a campaign cancels its waiting contacts [campaigns.16]', async () => {
    const id = await h.create({ campaign_name: 'cancelled', contacts: h.contactsOf(2) });
    await h.verb(id, 'cancel');
    expect(await h.contacts(id)).toMatchObject(Array(2).fill({ status: 'cancelled', next_attempt_at: null }));
    expect(await h.contacts(id, '?status=cancelled')).toHaveLength(2);
    expect(await h.contacts(id, '?status=pending')).toHaveLength(0);
    expect(await h.read(id)).toMatchObject({ completed_calls: 0 });
  });

  it.each(['limit=0', 'limit=1001', 'offset=x', 'status=queued', 'status=', 'search='])(
    '422 for %s',
    async (query) => {
      expect((await h.send('GET', `/v1/campaigns/${await h.create()}/contacts?${query}`)).status).toBe(422);
    },
  );
});
