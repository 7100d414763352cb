import { describe, expect, it } from '@jest/globals';
import type { TimelineEntry } from '@parley/contracts';
import { conversationOf, momentAt, readEnhanced } from './conversation.ts';

const ANSWERED = '2026-03-14T09:00:00.000Z';
const at = (seconds: number) => new Date(Date.parse(ANSWERED) + seconds * 1000).toISOString();
const turn = (seconds: number, content: string): TimelineEntry => ({
  at: at(seconds),
  type: 'turn',
  message: '',
  role: 'agent',
  content,
});
const TIMELINE: TimelineEntry[] = [
  { at: at(-2), type: 'ringing', message: '', call_sid: null },
  turn(-0.001, 'Hello'),
  { at: at(3), type: 'dtmf', message: '', digits: '4', direction: 'received' },
  turn(5, 'Bye'),
];

describe('conversationOf', () => {
  it('is what happened after the answer, at its place in the recording', () => {
    const moments = conversationOf(TIMELINE, ANSWERED);
    expect(moments.map(({ kind, atMs }) => [kind, atMs])).toEqual([
      ['said', 0],
      ['event', 3000],
      ['said', 5000],
    ]);
    expect(conversationOf(TIMELINE, null)).toEqual([]);
  });

  it('has one moment for each position', () => {
    const moments = conversationOf(TIMELINE, ANSWERED);
    expect([0, 2999, 3000, 99_000].map((position) => momentAt(moments, position))).toEqual([0, 0, 1, 2]);
    expect(momentAt([], 0)).toBe(-1);
  });
});

describe('readEnhanced', () => {
  it('reads the lines that the platform writes, and nothing else', () => {
    expect(readEnhanced(`[${at(1)}] User: Hi: there\n[${at(2)}] Agent: Yes`, ANSWERED)).toEqual([
      { speaker: 'user', content: 'Hi: there', atMs: 1000 },
      { speaker: 'agent', content: 'Yes', atMs: 2000 },
    ]);
    expect(readEnhanced('Agent: Yes', ANSWERED)).toBeUndefined();
  });
});
