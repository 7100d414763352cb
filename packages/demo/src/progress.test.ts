import { describe, expect, it } from '@jest/globals';
import type { ContactStatus } from '@parley/contracts';
import { createPaint } from '@parley/devstack';
import { createCallRate } from './call-rate.ts';
import { type Contact, countContacts, progressLine, progressLines } from './progress.ts';

const NOW = new Date('2026-01-31T08:00:00.000Z');
const contact = (status: ContactStatus, given: Partial<Contact> = {}): Contact => ({
  id: '00000000-0000-7000-8000-000000000001',
  phone_number: '+12125550101',
  contact_name: null,
  custom_data: {},
  status,
  attempts: 1,
  last_call_id: null,
  last_outcome: null,
  next_attempt_at: null,
  ...given,
});

const contacts = [
  contact('succeeded', { attempts: 2 }),
  contact('failed'),
  contact('in_progress'),
  contact('dialing'),
  contact('retrying', { next_attempt_at: '2026-01-31T08:00:30.000Z' }),
  contact('retrying', { next_attempt_at: '2026-01-31T08:00:50.000Z' }),
  contact('pending', { attempts: 0 }),
];

describe('countContacts', () => {
  it('counts states and attempts, and returns the next retry in real time [running.1]', () => {
    const progress = countContacts(contacts, NOW, 10);
    expect(progress).toMatchObject({ total: 7, attempts: 7, nextRetryMs: 3_000 });
    expect(progress.counts).toMatchObject({ succeeded: 1, retrying: 2, pending: 1, cancelled: 0 });
  });
});

describe('progressLines', () => {
  const view = { progress: countContacts(contacts, NOW, 1), pace: '1.3 calls/s', elapsedMs: 12_345 };

  it.each([80, 100, 200])('fits %d columns', (width) => {
    const lines = progressLines(view, width, createPaint(false));
    expect(lines.filter((line) => line.length >= width)).toEqual([]);
    expect(lines[0]).toContain('2 of 7   1.3 calls/s   12 s');
    expect(lines[1]).toBe('  succeeded 1  failed 1  talking 1  dialing 1  retrying 2 (in 30 s)  waiting 1');
  });

  it('is one line without a terminal', () => {
    expect(progressLine(view)).toBe(
      '  2 of 7   1.3 calls/s   12 s   succeeded 1  failed 1  talking 1  dialing 1  retrying 2 (in 30 s)  waiting 1',
    );
  });
});

describe('createCallRate', () => {
  it('covers the last two seconds', () => {
    const rate = createCallRate();
    expect(rate(0, 0)).toBe(0);
    expect(rate(1_000, 10)).toBe(10);
    expect(rate(2_000, 12)).toBe(6);
    expect(rate(2_500, 14)).toBeCloseTo(14 / 2.5);
    expect(rate(10_000, 14)).toBe(0);
  });
});
