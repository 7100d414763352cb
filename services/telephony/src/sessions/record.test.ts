import { describe, expect, it } from '@jest/globals';
import { dialingCall } from '../../tests/session-parts.ts';
import type { Entry, ToolEntry } from './ports.ts';
import { createCallRecord, MAX_TURNS, nextSeq } from './record.ts';
import { succeeded } from './tools/tool-outcome.ts';

const at = new Date(0);
const tool = (bytes: number): ToolEntry => ({
  role: 'tool',
  toolName: 'lookup',
  toolType: 'custom',
  description: null,
  args: { n: 1 },
  outcome: succeeded('é'.repeat(bytes / 2)),
});

const turns = { append: () => {}, correct: () => {}, drained: async () => true, forget: () => {} };

function fill(entries: Entry[], count: number, entry: ToolEntry | { role: 'user'; content: string }) {
  const record = createCallRecord({ turns, now: () => at }, () => dialingCall, entries);
  for (let i = 0; i < count; i += 1) record.add(entry);
  return record;
}

const results = (record: Entry[]) =>
  record.map((entry) => (entry.role === 'tool' ? entry.outcome.result : undefined));

describe('the record of a call [trust.3]', () => {
  it('contains at most 1 MiB of tool results; a note replaces the others', () => {
    const record: Entry[] = [];
    fill(record, 100, tool(15_000));
    const kept = results(record).filter((result) => String(result).startsWith('é'));
    expect(kept).toHaveLength(69);
    expect(record).toHaveLength(100);
    expect(results(record).at(-1)).toContain('not recorded');
    expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(1_100_000);
  });

  it('includes what another worker recorded before the take-over', () => {
    const record: Entry[] = [];
    fill(record, 60, tool(15_000));
    fill(record, 20, tool(15_000));
    expect(results(record).filter((result) => String(result).startsWith('é'))).toHaveLength(69);
  });

  it('still accepts small results, and everything that is said', () => {
    const record: Entry[] = [];
    fill(record, 75, tool(15_000));
    fill(record, 1, { role: 'user', content: 'x'.repeat(2_000) });
    fill(record, 1, tool(2));
    expect(record.at(-2)).toMatchObject({ content: expect.stringContaining('xxx') });
    expect(results(record).at(-1)).toBe('é');
  });

  it('contains at most 512 KiB of what is said, as JSON, and the call ends a little earlier', () => {
    const record: Entry[] = [];
    // A control character takes six bytes of JSON.
    const turn = { role: 'user', content: '\u0001'.repeat(2_000) } as const;
    expect(fill(record, 40, turn).isFull()).toBe(false);
    expect(fill(record, 1, turn).isFull()).toBe(true);
    fill(record, 100, turn);
    expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(550_000);
    fill(record, 1, tool(2));
    expect(record.at(-1)?.role).toBe('tool');
  });

  it('counts a corrected turn with what was heard of it', () => {
    const entries: Entry[] = [];
    const record = createCallRecord({ turns, now: () => at }, () => dialingCall, entries);
    for (let n = 0; n < 100; n += 1) {
      const said = record.add({ role: 'agent', content: 'x'.repeat(20_000) });
      if (said) record.correct(said, { content: 'x' });
    }
    expect([entries.length, record.isFull()]).toEqual([100, false]);
  });

  it('does not give the place of a removed turn to the next one, which may be written before the removal', () => {
    const entries: Entry[] = [];
    const record = createCallRecord({ turns, now: () => at }, () => dialingCall, entries);
    record.add({ role: 'user', content: 'Hello' });
    const unheard = record.add({ role: 'agent', content: 'Good morning.' });
    if (unheard) record.correct(unheard, { content: '' });
    record.add({ role: 'user', content: 'Is this Acme?' });
    expect(entries.map(({ seq }) => seq)).toEqual([0, 2]);
  });

  it('contains at most 2,000 turns, and the call ends a little earlier', () => {
    const record: Entry[] = [];
    const turn = { role: 'user', content: 'Hello' } as const;
    expect(fill(record, MAX_TURNS - 11, turn).isFull()).toBe(false);
    expect(fill(record, 1, turn).isFull()).toBe(true);
    fill(record, 100, turn);
    expect(record).toHaveLength(MAX_TURNS);
  });
});

describe('nextSeq', () => {
  it('counts from 0 in the first worker', () => {
    expect(nextSeq(-1, 1)).toBe(0);
    expect(nextSeq(1, 1)).toBe(2);
  });

  it('leaves a gap at each take-over for late writes of the previous worker', () => {
    const first = nextSeq(7, 2);
    expect(first).toBeGreaterThan(10_000);
    expect(nextSeq(first, 2)).toBe(first + 1);
    expect(nextSeq(first, 3)).toBeGreaterThan(first + 10_000);
  });

  it('fits an integer of Postgres after any number of take-overs', () => {
    expect(nextSeq(3, 1_000_000)).toBeLessThan(2 ** 31 - 100_000);
    expect(nextSeq(-1, 0)).toBe(0);
  });
});
