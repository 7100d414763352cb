import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHarness, type Harness, OTHER_WORKSPACE, WORKSPACE } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness({ jobs: false, consumers: false });
});
afterAll(() => h.close());

const keepContacts = (days: number | null) => ({
  calls: null,
  recordings: null,
  attempts: null,
  contacts: days,
});
const apply = (days: number | null, workspaceId = WORKSPACE) =>
  h.first.context.applyRetention(workspaceId, keepContacts(days));

/** A cancelled campaign with three contacts that ended this many days ago. */
async function endedCampaign(daysAgo: number): Promise<string> {
  const id = await h.create({ contacts: h.contactsOf(3) });
  await h.verb(id, 'cancel');
  await h.sql
    .$executeRaw`UPDATE campaigns SET completed_at = clock_timestamp() - ${daysAgo}::int * interval '1 day' WHERE id = ${id}::uuid`;
  return id;
}

describe('the retention of contacts [trust.21]', () => {
  it('removes the contacts of campaigns that ended before it, and keeps the campaigns with their counters', async () => {
    const [old, recent, live] = [
      await endedCampaign(10),
      await endedCampaign(3),
      await h.create({ contacts: h.contactsOf(3) }),
    ];
    expect(await apply(5)).toEqual({ removed: { contacts: 3 }, more: false });
    expect(await h.contacts(old)).toEqual([]);
    expect(await h.read(old)).toMatchObject({ status: 'cancelled', total_contacts: 3 });
    for (const id of [recent, live]) expect(await h.contacts(id)).toHaveLength(3);
    // There is nothing left to do.
    expect(await apply(5)).toEqual({ removed: {}, more: false });
  });

  it('removes nothing without a setting, or of other workspaces', async () => {
    const id = await endedCampaign(100);
    expect(await apply(null)).toEqual({ removed: {}, more: false });
    expect(await apply(1, OTHER_WORKSPACE)).toEqual({ removed: {}, more: false });
    expect(await h.contacts(id)).toHaveLength(3);
  });

  it('waits for calls that are still in progress', async () => {
    const id = await endedCampaign(200);
    await h.sql
      .$executeRaw`INSERT INTO attempts (id, workspace_id, campaign_id, contact_id, phone_number_id, generation, requested_at, news_at, state)
       SELECT gen_random_uuid(), c.workspace_id, c.id, gen_random_uuid(), c.phone_number_id, 1, now(), now(), 'answered'
       FROM campaigns c WHERE c.id = ${id}::uuid`;
    await apply(150);
    expect(await h.contacts(id)).toHaveLength(3);
    await h.sql.$executeRaw`UPDATE attempts SET state = 'ended' WHERE campaign_id = ${id}::uuid`;
    await apply(150);
    expect(await h.contacts(id)).toEqual([]);
  });
});
