import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { identityOf } from '@parley/kit/removal';
import { ERASURE_STEPS } from '../src/retention/erasure-steps.ts';
import { createHarness, type Harness, soon, WORKSPACE } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness({ jobs: false, consumers: false });
});
afterAll(() => h.close());

const PERSON = '+14155550123';
const OTHER = '+14155550124';

/** The walk of the contacts, in one transaction and without a repetition. */
const eraseContacts = () =>
  h.sql.$transaction(async (tx) => {
    const walk = ERASURE_STEPS.find((step) => identityOf(step).includes('"table":"contacts"'));
    const target = {
      removalId: randomUUID(),
      workspaceId: WORKSPACE,
      phoneNumber: PERSON,
      keepDoNotCall: true,
    };
    return walk?.(tx, { ...target, sinceXid: null, halvings: 0 }, null);
  });

it('a contact who mentions its own number is counted once [trust.20]', async () => {
  const id = await h.create({ contacts: [{ phone_number: PERSON, custom_data: { ask_for: PERSON } }] });
  expect(await eraseContacts()).toMatchObject({ removed: { contacts: 1 }, waiting: null });
  expect(await h.contacts(id)).toMatchObject([{ phone_number: 'erased', custom_data: {}, status: 'failed' }]);
});

it('the erasure of a contact and the update of an attempt do not deadlock', async () => {
  const id = await h.create({
    contacts: [{ phone_number: PERSON }, { phone_number: OTHER, contact_name: `Friend of ${PERSON}` }],
  });
  let erasing: ReturnType<typeof eraseContacts> | undefined;
  await h.sql.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE contacts SET attempts = 1 WHERE campaign_id = ${id}::uuid AND phone_number = ${OTHER}`;
    erasing = eraseContacts();
    await soon(async () => {
      const waiting = await h.sql.$queryRaw<unknown[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      expect(waiting).toHaveLength(1);
    });
    await tx.$executeRaw`
      INSERT INTO campaign_tallies AS t (campaign_id, shard, succeeded, failed)
      SELECT campaign_id, ('x' || right(id::text, 1))::bit(4)::int, 1, 0 FROM contacts
      WHERE campaign_id = ${id}::uuid AND phone_number = ${PERSON}
      ON CONFLICT (campaign_id, shard) DO UPDATE SET succeeded = t.succeeded + 1`;
  });
  expect(await erasing).toMatchObject({ removed: { contacts: 1 } });
  expect(await eraseContacts()).toMatchObject({ removed: { contacts: 1 }, waiting: null });
  expect(await h.contacts(id)).toMatchObject([
    { phone_number: 'erased', status: 'failed' },
    { phone_number: OTHER, contact_name: 'Friend of +10000000000', status: 'pending' },
  ]);
});
