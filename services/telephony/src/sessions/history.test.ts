import { describe, expect, it } from '@jest/globals';
import { START } from '../../tests/session-parts.ts';
import { createHistory } from './history.ts';
import type { Entry, SpokenEntry } from './ports.ts';

const entry = (seq: number, spoken: SpokenEntry): Entry => ({ seq, at: START, ...spoken });
const GREETING = entry(0, { role: 'agent', content: 'Hello, this is Acme.', isInterrupted: false });
const QUESTION = entry(1, { role: 'user', content: 'Are you open?' });
const CUT = entry(2, { role: 'agent', content: 'Yes, we are open until nine.' });

describe('the conversation that an engine continues [calls.17]', () => {
  it('omits what a dead worker was speaking, in each later worker', () => {
    const said = [
      { role: 'agent', content: 'Hello, this is Acme.' },
      { role: 'user', content: 'Are you open?' },
    ];
    expect(createHistory({ entries: [GREETING, QUESTION, CUT] }, 'audio').turns()).toEqual(said);
    const again = entry(100_000, { role: 'agent', content: 'Yes, until nine.', isInterrupted: true });
    expect(createHistory({ entries: [GREETING, QUESTION, CUT, again] }, 'audio').turns()).toEqual([
      ...said,
      { role: 'agent', content: 'Yes, until nine.' },
    ]);
  });

  it('contains what this worker is speaking', () => {
    const entries = [GREETING, QUESTION];
    const history = createHistory({ entries }, 'audio');
    entries.push(CUT);
    expect(history.turns().at(-1)).toEqual({ role: 'agent', content: 'Yes, we are open until nine.' });
  });

  it('has the place of what the assistant last said or did, without what is omitted', () => {
    expect(createHistory({ entries: [QUESTION] }, 'audio').lastAnswerSeq()).toBe(-1);
    const entries = [GREETING, QUESTION, CUT];
    expect(createHistory({ entries }, 'audio').lastAnswerSeq()).toBe(0);
    expect(createHistory({ entries }, 'text').lastAnswerSeq()).toBe(2);
  });

  it('contains all text, which is never corrected', () => {
    expect(createHistory({ entries: [QUESTION, CUT] }, 'text').turns()).toHaveLength(2);
  });
});
