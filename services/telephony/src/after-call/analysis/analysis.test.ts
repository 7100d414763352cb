import { describe, expect, it } from '@jest/globals';
import { dialingCall, START } from '../../../tests/session-parts.ts';
import { type AnalysisField, readCallConfig } from '../../assistants/call-config.ts';
import { analyzeCall, configuredValues } from './analyze-call.ts';
import { retryAfterMs } from './analyze-due.ts';
import { createExtractor } from './extract-field.ts';
import type { SpokenLine } from './ports.ts';
import { ruleAnalyzer } from './rule-analyzer.ts';

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
  examples: '',
  ...given,
});

describe('createExtractor [assistants.17]', () => {
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
    [field('enum', 'color', { choices: ['red', 'old'] }), null],
  ])('%j', (asked, expected) => {
    expect(createExtractor(lines)(asked)).toBe(expected);
  });

  it.each([
    [['Yes, that sounds good to me.', 'Goodbye.'], true],
    [['That looks great', 'Tell me more about Monday'], true],
    [['Sure, go on', 'No, thank you'], false],
    [['I do not want that'], false],
    [['Not sure, I have to think', 'Who is this?'], null],
    [['My name is Ada', 'It is late, no?'], null],
  ])('an attitude is the last clear yes or no, whatever the earlier questions: %j', (said, expected) => {
    const spoken = said.flatMap((content) => [
      { role: 'agent' as const, content: 'Very well. What else?' },
      { role: 'user' as const, content },
    ]);
    const asked = field('boolean', 'interested', { description: 'Whether the customer is interested' });
    expect(createExtractor(spoken)(asked)).toBe(expected);
    expect(createExtractor(spoken)(field('boolean', 'owns_a_boat'))).toBeNull();
  });

  it.each([
    ['We need 1,200 of them', 1_200],
    ['It is 3,5 percent', 3.5],
    ['It is 3.25 percent', 3.25],
    ['It was 12,345,678.9 exactly', 12_345_678.9],
    ['Minus -4 degrees', -4],
  ])('reads the number in %j', (content, expected) => {
    const asked = field('number', 'amount', { description: 'need percent exactly degrees' });
    expect(createExtractor([{ role: 'user', content }])(asked)).toBe(expected);
  });

  it('finds nothing if the human did not speak', () => {
    expect(createExtractor([])(field('string', 'customer_name'))).toBeNull();
  });
});

describe('the summary of a call without words of the contact [calls.13]', () => {
  it.each([
    ['agent_hangup', 'The contact did not speak.'],
    ['error', 'No words of the contact were recognized.'],
  ] as const)('that ended with %s', async (reason, summary) => {
    const state = { ...dialingCall.state, phase: 'ended' as const, answeredAt: START, reason };
    const due = { call: { ...dialingCall, state }, attempts: 1, crashes: 0, edition: 1 };
    const inputs = {
      due: { ...due, recordingKey: null, recordingSid: null },
      record: [{ role: 'agent' as const, content: 'Hello?', seq: 0, at: START }],
      config: readCallConfig({}),
    };
    const { signal } = new AbortController();
    expect(await analyzeCall(ruleAnalyzer, inputs, signal)).toMatchObject({ summary });
  });
});

describe('configuredValues [assistants.17]', () => {
  const fields = [
    field('string', 'name'),
    field('number', 'seats'),
    field('boolean', 'interested'),
    field('enum', 'tariff', { choices: ['gold', 'silver'] }),
  ];
  const nothing = { name: null, seats: null, interested: null, tariff: null };

  it('keeps values of the type of their field', () => {
    const found = { name: 'Ada', seats: 0, interested: false, tariff: 'gold' };
    expect(configuredValues(fields, found)).toEqual(found);
  });

  it('is null for each value that could not be extracted or has another type', () => {
    expect(
      configuredValues(fields, { name: 7, seats: '25', interested: 'yes', tariff: 'bronze', seatsToo: 1 }),
    ).toBeNull();
    expect(configuredValues(fields, { name: 'Ada', seats: Number.NaN, tariff: 'Gold' })).toEqual({
      ...nothing,
      name: 'Ada',
    });
    expect(configuredValues(fields, { name: ' ', seats: 1, more: true })).toEqual({ ...nothing, seats: 1 });
  });

  it('is null as a whole if nothing was configured or found', () => {
    expect(configuredValues([], { name: 'Ada' })).toBeNull();
    expect(configuredValues(fields, nothing)).toBeNull();
    expect(configuredValues([field('string', 'toString')], {})).toBeNull();
  });
});

describe('ruleAnalyzer', () => {
  it('summarizes how long they spoke and what was said', async () => {
    const { summary, data } = await ruleAnalyzer.analyze(
      { lines, fields: [field('number', 'seats')], language: 'en-US' },
      new AbortController().signal,
    );
    expect(summary).toContain('7 turns');
    expect(summary).toContain('My name is Ada Novak');
    expect(data).toEqual({ seats: 25 });
  });

  it('does not read a long conversation again for each field, and lets others work between fields', async () => {
    const long = Array.from({ length: 1_000 }, (_, i) => ({
      role: i % 2 ? ('user' as const) : ('agent' as const),
      content: `Seats ${'other words '.repeat(40)}${i}`,
    }));
    const types = ['number', 'boolean', 'string', 'enum'] as const;
    const fields = Array.from({ length: 2_000 }, (_, i) =>
      field(types[i % 4] ?? 'string', `seats_${i}`, {
        description: 'seats words and email',
        choices: ['red'],
      }),
    );
    let turns = 0;
    const others = setInterval(() => (turns += 1), 0);
    const began = performance.now();
    const { data } = await ruleAnalyzer.analyze(
      { lines: long, fields, language: 'en-US' },
      new AbortController().signal,
    );
    clearInterval(others);
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(turns).toBeGreaterThan(1);
    expect(data).toMatchObject({ seats_0: 999, seats_1: null, seats_2: long[999]?.content, seats_3: null });
  });

  it('needs time in proportion to the length of what looks like an address', async () => {
    const began = performance.now();
    const spoken: SpokenLine[] = [{ role: 'user', content: 'a.'.repeat(125_000) }];
    expect(createExtractor(spoken)(field('string', 'email'))).toBeNull();
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('retryAfterMs [calls.13]', () => {
  it('doubles up to a quarter of an hour', () => {
    expect([1, 2, 3, 8, 9, 100].map(retryAfterMs)).toEqual([
      5_000, 10_000, 20_000, 640_000, 900_000, 900_000,
    ]);
  });
});
