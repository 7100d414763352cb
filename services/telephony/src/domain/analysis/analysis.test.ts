import { describe, expect, it } from '@jest/globals';
import type { AnalysisField } from '../conversation/call-config.ts';
import { retryAfterMs } from './analyse-due.ts';
import { extractField } from './extract-field.ts';
import type { SpokenLine } from './ports.ts';
import { ruleAnalyser } from './rule-analyser.ts';

const lines: SpokenLine[] = [
  { role: 'agent', content: 'Hello, this is Acme. Are you interested in our new plan?' },
  { role: 'user', content: 'Yes, I am interested.' },
  { role: 'agent', content: 'How many seats do you need?' },
  { role: 'user', content: 'I think 25.' },
  { role: 'user', content: 'My name is Ada Novak, write to ada@example.com. Call +1 415 555 0100.' },
  { role: 'agent', content: 'Shall we renew the contract?' },
  { role: 'user', content: "No, I don't want that. Tuesday at 11 would work for me, in the gold tariff." },
];

const field = (
  type: AnalysisField['type'],
  name: string,
  given: Partial<AnalysisField> = {},
): AnalysisField => ({
  type,
  name,
  description: '',
  choices: [],
  ...given,
});

describe('extractField (D3.5)', () => {
  it.each([
    [field('boolean', 'interested'), true],
    [field('boolean', 'renewal', { description: 'Does the customer renew the contract?' }), false],
    [field('boolean', 'owns_a_boat'), null],
    [field('number', 'seats'), 25],
    [field('number', 'budget'), null],
    [field('string', 'customer_name'), 'Ada Novak'],
    [field('string', 'email'), 'ada@example.com'],
    [field('string', 'phone'), '+1 415 555 0100'],
    [field('string', 'appointment', { description: 'When they want to meet' }), 'Tuesday at 11'],
    [field('string', 'pet'), null],
    [field('enum', 'tariff', { choices: ['silver', 'Gold'] }), 'Gold'],
    [field('enum', 'colour', { choices: ['red', 'old'] }), null],
  ])('%j', (asked, expected) => {
    expect(extractField(asked, lines)).toBe(expected);
  });

  it('finds nothing where nobody spoke', () => {
    expect(extractField(field('string', 'customer_name'), [])).toBeNull();
  });
});

describe('ruleAnalyser', () => {
  it('tells how long they spoke and what was said', async () => {
    const { summary, data } = await ruleAnalyser.analyse(
      { lines, fields: [field('number', 'seats')] },
      new AbortController().signal,
    );
    expect(summary).toContain('7 turns');
    expect(summary).toContain('My name is Ada Novak');
    expect(data).toEqual({ seats: 25 });
  });
});

describe('retryAfterMs (D6.7)', () => {
  it('doubles up to a quarter of an hour', () => {
    expect([1, 2, 3, 8, 9, 100].map(retryAfterMs)).toEqual([
      5_000, 10_000, 20_000, 640_000, 900_000, 900_000,
    ]);
  });
});
