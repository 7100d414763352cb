import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBusyNumbers, createClaimDials } from '../src/dispatch/claim-dials.ts';
import type { Prisma } from '../src/generated/prisma/client.ts';
import { createHarness, type Harness, soon } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());

/** Runs `work` after an append has written its contacts and before its next statement. */
async function whileWriting<T>(id: string, count: number, work: () => Promise<T>): Promise<T> {
  const body = { contacts: h.contactsOf(count), skip_duplicates: false };
  const { sent, result } = await h.sql.$transaction(async (tx) => {
    await tx.$executeRaw`LOCK TABLE contact_marks IN SHARE MODE`;
    const sent = h.send('POST', `/v1/campaigns/${id}/contacts`, { body });
    await soon(async () => expect(await waiting()).toBe(1));
    return { sent, result: await work() };
  });
  expect(await sent).toMatchObject({ status: 201, data: { added: count } });
  return result;
}

async function waiting(): Promise<number> {
  const rows = await h.sql.$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'FROM contact_marks'`;
  return rows.length;
}

/** The number of entries of the index of waiting contacts that `work` has read. */
function counting() {
  let entries = 0;
  const transaction = <R>(work: (tx: never) => Promise<R>): Promise<R> =>
    h.first.context.prisma.$transaction(async (tx: Prisma.TransactionClient) => {
      const result = await work(tx as never);
      const [row] = await tx.$queryRaw<
        { entries: number }[]
      >`SELECT pg_stat_get_xact_tuples_returned('contacts_waiting_idx'::regclass)::int AS entries`;
      entries += row?.entries ?? Number.NaN;
      return result;
    });
  return { transaction, entries: () => entries };
}

describe('POST /v1/campaigns/{id}/contacts, while the contacts are being written', () => {
  it('does not block a pause [campaigns.5] [campaigns.7]', async () => {
    const id = await h.create();
    await h.verb(id, 'resume');
    await whileWriting(id, 5, async () => {
      expect(await h.verb(id, 'pause')).toMatchObject({ status: 200, data: { status: 'paused' } });
    });
    expect(await h.read(id)).toMatchObject({ status: 'paused', total_contacts: 6 });
  });

  it('does not affect finding due contacts: other campaigns keep dialing', async () => {
    const { agentId: agent_id, phoneNumber: phone_number, phoneNumberId } = h.furnish();
    // Contacts are claimed only by the test.
    h.peers.rates.set(phoneNumberId, { max_cps: 1, is_active: false });
    const id = await h.create({ agent_id, phone_number, contacts: h.contactsOf(2) });
    await h.verb(id, 'resume');
    await whileWriting(id, 3000, async () => {
      const { transaction, entries } = counting();
      const now = new Date();
      expect(await createBusyNumbers(transaction)(now)).toMatchObject([{ phoneNumberId }]);
      expect(await createClaimDials(transaction)(new Map([[phoneNumberId, 7]]), now)).toBe(2);
      expect(await createBusyNumbers(transaction)(now)).toEqual([]);
      expect(entries()).toBeLessThan(100);
    });
    // All of them are dialed, once they are stored.
    expect(await h.first.context.claimDials(new Map([[phoneNumberId, 4000]]), new Date())).toBe(3000);
  });
});
