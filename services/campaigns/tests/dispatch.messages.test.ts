import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHarness, type Harness, soon } from './harness.ts';

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());

describe('a campaign, end to end', () => {
  it('dials every contact, follows its calls and completes', async () => {
    const contacts = [
      { phone_number: '+12025550001', contact_name: 'Ann', custom_data: { city: 'Rome' } },
      { phone_number: '+12025550002' },
      { phone_number: '+12025550003' },
    ];
    const id = await h.create({ contacts });
    expect(await h.read(id)).toMatchObject({ status: 'draft', started_at: null, total_contacts: 3 });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ status: 'running' });
    const [first, second, third] = await h.dials(id, 3);
    if (!first || !second || !third) throw new Error('no dials');
    expect(first).toMatchObject({
      to_number: '+12025550001',
      generation: 1,
      dynamic_variables: { contact_name: 'Ann', city: 'Rome' },
    });
    for (const dial of [first, second, third]) await h.say.dialing(dial);
    await soon(async () => {
      expect(await h.contacts(id)).toMatchObject(Array(3).fill({ status: 'dialing', attempts: 1 }));
    });
    await h.say.started(first);
    await soon(async () => expect((await h.contacts(id))[0]).toMatchObject({ status: 'in_progress' }));
    await h.say.ended(first, 'user_hangup');
    await h.say.ended(second, 'dial_busy');
    await h.say.ended(third, 'voicemail', { voicemail_message_left: true });
    await soon(async () => {
      expect(await h.read(id)).toMatchObject({
        status: 'completed',
        total_contacts: 3,
        completed_calls: 3,
        successful_calls: 2,
        failed_calls: 1,
        completed_at: expect.any(String),
      });
    });
    expect(await h.contacts(id)).toMatchObject([
      { status: 'succeeded', attempts: 1, last_call_id: first.call_id, last_outcome: 'user_hangup' },
      { status: 'failed', attempts: 1, last_call_id: second.call_id, last_outcome: 'dial_busy' },
      { status: 'succeeded', last_outcome: 'voicemail', next_attempt_at: null },
    ]);
    expect(h.dialsOf(id)).toHaveLength(3);
  });
});
