import { describe, expect, it } from '@jest/globals';
import { instantOf } from '../../../app/zoned-time.ts';
import { minutesInWords } from '../minutes-in-words.ts';
import { type CampaignDraft, NEW_CAMPAIGN, problemsOf, toBody } from './campaign-draft.ts';

const NOW = new Date('2026-03-14T09:00:00Z');
const facts = (draft: Partial<CampaignDraft>) => ({
  draft: { ...NEW_CAMPAIGN, ...draft },
  contacts: 0,
  hasPhoneColumn: true,
  zone: 'Europe/Berlin',
  now: NOW,
});

describe('a new campaign', () => {
  it('says what is missing in each step', () => {
    expect(Object.keys(problemsOf(0, facts({ name: ' ' })))).toEqual(['name', 'agentId', 'phoneNumber']);
    expect(problemsOf(1, facts({}))).toEqual({ contacts: 'No row of the list can be called' });
    expect(problemsOf(2, facts({ maxRetries: 1, retryMinutes: [0, 5] }))).toHaveProperty('retries');
    expect(problemsOf(2, facts({ hours: { tz: 'UTC', days: [1], windows: [] } }))).toHaveProperty('hours');
    expect(problemsOf(3, facts({ start: 'later', startAt: '' }))).toHaveProperty('startAt');
  });

  it('starts at a time of the zone, which lies ahead', () => {
    expect(instantOf('2026-03-14T10:00', 'Europe/Berlin')).toEqual(NOW);
    expect(instantOf('2026-07-01T10:00', 'America/New_York')?.toISOString()).toBe('2026-07-01T14:00:00.000Z');
    expect(problemsOf(3, facts({ start: 'later', startAt: '2026-03-14T10:00' }))).toHaveProperty('startAt');
    expect(problemsOf(3, facts({ start: 'later', startAt: '2026-03-14T10:01' }))).toEqual({});
  });

  it('has as many waits as retries', () => {
    const options = { zone: 'UTC', skipDuplicates: true };
    const draft = { ...NEW_CAMPAIGN, name: ' A ', agentId: 'a', phoneNumber: '+1', maxRetries: 1 };
    expect(toBody(draft, [], options)).toMatchObject({
      campaign_name: 'A',
      max_retries: 1,
      retry_intervals: [30],
    });
    expect(toBody({ ...draft, maxRetries: 0 }, [], options)).not.toHaveProperty('retry_intervals');
    expect([30, 90, 1440, 1530].map(minutesInWords)).toEqual([
      '30 min',
      '1 h 30 min',
      '1 d',
      '1 d 1 h 30 min',
    ]);
  });
});
