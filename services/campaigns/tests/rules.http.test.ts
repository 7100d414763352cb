import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHarness, type Harness, soon } from './harness.ts';

/* Sentences of the specification's campaign sections and of D7 that no other test of this folder is named after. */

let h: Harness;
beforeAll(async () => {
  h = await createHarness();
});
afterAll(() => h.close());

const post = (more: object) => {
  const { agentId, phoneNumber } = h.furnish();
  const body = {
    ...{ campaign_name: 'Spring', agent_id: agentId, phone_number: phoneNumber, contacts: h.contactsOf(1) },
    ...more,
  };
  return h.send('POST', '/v1/campaigns', { body });
};
const hours = (more: object) => ({
  business_hours: { tz: 'UTC', days: [1], windows: [{ start: 0, end: 60 }], ...more },
});
const window = (start: unknown, end: unknown) => hours({ windows: [{ start, end }] });
const contactWith = (length: number) => ({
  contacts: [{ phone_number: '+12025550001', custom_data: { note: 'x'.repeat(length) } }],
});
const minutes = (count: number) => Array.from({ length: count }, (_, i) => ({ start: i, end: i + 1 }));

describe('POST /v1/campaigns refuses', () => {
  it.each([
    ['max_retries is 0-10: -1', 'max_retries', { max_retries: -1 }],
    ['max_retries is 0-10: 11', 'max_retries', { max_retries: 11 }],
    ['max_retries is whole', 'max_retries', { max_retries: 0.5 }],
    ['retry_intervals has 1-10 values', 'retry_intervals', { retry_intervals: Array(11).fill(1) }],
    ['retry_intervals: at least a minute', 'retry_intervals.1', { retry_intervals: [1, 0] }],
    ['retry_intervals: at most a week', 'retry_intervals.0', { retry_intervals: [10_081] }],
    ['retry_intervals: whole minutes', 'retry_intervals.0', { retry_intervals: [1.5] }],
    ['days are 1-7', 'business_hours.days.0', hours({ days: [0] })],
    ['days are whole', 'business_hours.days.0', hours({ days: [1.5] })],
    ['days is required', 'business_hours.days', hours({ days: undefined })],
    ['tz is required', 'business_hours.tz', hours({ tz: undefined })],
    ['windows is required', 'business_hours.windows', hours({ windows: undefined })],
    ['0 <= start', 'business_hours.windows.0.start', window(-1, 60)],
    ['start < end', 'business_hours.windows.0.end', window(60, 60)],
    ['a window across midnight', 'business_hours.windows.0.end', window(1380, 60)],
    ['end <= 1440', 'business_hours.windows.0.end', window(0, 1441)],
    ['at most 100 windows', 'business_hours.windows', hours({ windows: minutes(101) })],
    ['at most 7 days', 'business_hours.days', hours({ days: [1, 2, 3, 4, 5, 6, 7, 7] })],
    ['minutes are whole', 'business_hours.windows.0.start', window(0.5, 60)],
    ['a contact has at most 32 KiB', 'contacts.0', contactWith(32 * 1024)],
    ['scheduled_at has a zone', 'scheduled_at', { scheduled_at: '2099-01-01T00:00:00' }],
    ['scheduled_at is in the future', 'scheduled_at', { scheduled_at: new Date().toISOString() }],
  ])('%s [campaigns.12]', async (_, path, more) => {
    const { status, body } = await post(more);
    const error = { code: 'VALIDATION_FAILED', details: [{ path }], message: expect.stringContaining(path) };
    expect([status, body]).toMatchObject([422, { success: false, error }]);
  });
});

describe('POST /v1/campaigns accepts', () => {
  it.each([
    ['retry_intervals without retries is fine [campaigns.12]', { retry_intervals: [5] }],
    [
      'retry_intervals may be more than the retries [campaigns.12]',
      { max_retries: 1, retry_intervals: [1, 2, 3] },
    ],
    ['the most of both [campaigns.12]', { max_retries: 10, retry_intervals: Array(10).fill(10_080) }],
    ['business_hours: a whole day', window(0, 1440)],
    ['a contact with 15 KiB of custom_data', contactWith(15_300)],
    ['business_hours: 100 windows', hours({ windows: minutes(100) })],
    ['business_hours: its last minute', window(1439, 1440)],
    [
      'business_hours: across midnight, cut there',
      hours({
        days: [1, 2],
        windows: [
          { start: 1380, end: 1440 },
          { start: 0, end: 60 },
        ],
      }),
    ],
    ['business_hours: null means always', { business_hours: null }],
    ['business_hours: a link of the IANA database', hours({ tz: 'US/Eastern' })],
  ])('%s', async (_, more) => {
    const { status, data } = await post(more);
    expect([status, data]).toMatchObject([201, { status: 'draft', business_hours: null, ...hoursOf(more) }]);
  });
});

const hoursOf = (more: object) => ('business_hours' in more ? { business_hours: more.business_hours } : {});

describe('the states of a campaign [campaigns.5]', () => {
  it('draft: does not dial until resumed', async () => {
    const draft = await h.create();
    const other = await h.create();
    await h.verb(other, 'resume');
    await h.dials(other, 1);
    expect(h.dialsOf(draft)).toEqual([]);
    expect(await h.read(draft)).toMatchObject({ status: 'draft', started_at: null, completed_at: null });
    await h.verb(draft, 'resume');
    await h.dials(draft, 1);
  });

  it('started_at keeps the time of the first run [campaigns.7]', async () => {
    const id = await h.create();
    const { started_at } = (await h.verb(id, 'resume')).data;
    await h.verb(id, 'pause');
    expect(await h.read(id)).toMatchObject({ started_at, completed_at: null });
    expect((await h.verb(id, 'resume')).data).toMatchObject({ started_at });
    const { data } = await h.verb(id, 'cancel');
    expect(data).toMatchObject({ started_at, completed_at: expect.any(String) });
    expect(Date.parse(String(data.completed_at))).toBeGreaterThanOrEqual(Date.parse(String(started_at)));
  });

  it('calls in progress continue during a pause, and their outcome is counted [campaigns.7]', async () => {
    const id = await h.create({ contacts: h.contactsOf(2), max_retries: 1, retry_intervals: [7] });
    await h.verb(id, 'resume');
    const [first, second] = await h.dials(id, 2);
    if (!first || !second) throw new Error('no dials');
    await h.say.started(first);
    await h.say.started(second);
    await soon(async () => expect(await h.contacts(id, '?status=in_progress')).toHaveLength(2));
    await h.verb(id, 'pause');
    expect(await h.contacts(id, '?status=in_progress')).toHaveLength(2);
    const end = h.endedOf(second, 'voicemail');
    await h.say.ended(first, 'user_hangup');
    await h.say.ended(second, 'voicemail', { ended_at: end.ended_at });
    await soon(async () => {
      expect(await h.contacts(id)).toMatchObject([
        { status: 'succeeded', attempts: 1 },
        {
          ...{ status: 'retrying', attempts: 1, last_outcome: 'voicemail' },
          next_attempt_at: new Date(Date.parse(end.ended_at) + 7 * 60_000).toISOString(),
        },
      ]);
    });
    expect(await h.read(id)).toMatchObject({ status: 'paused', completed_calls: 1, successful_calls: 1 });
  });

  it('without retry_intervals a retry waits 30 minutes; max_retries defaults to 0 [campaigns.12]', async () => {
    const ended_at = new Date().toISOString();
    const outcomes = [];
    for (const more of [{ max_retries: 1 }, {}]) {
      const id = await h.create({ contacts: h.contactsOf(1), ...more });
      await h.verb(id, 'resume');
      const [dial] = await h.dials(id, 1);
      if (!dial) throw new Error('no dial');
      await h.say.ended(dial, 'dial_busy', { ended_at });
      const [contact] = await soon(async () => {
        const contacts = await h.contacts(id);
        expect(contacts).toMatchObject([{ attempts: 1, last_outcome: 'dial_busy' }]);
        return contacts;
      });
      outcomes.push([contact?.status, contact?.next_attempt_at]);
    }
    const inHalfAnHour = new Date(Date.parse(ended_at) + 30 * 60_000).toISOString();
    expect(outcomes).toEqual([
      ['retrying', inHalfAnHour],
      ['failed', null],
    ]);
  });
});
