import { describe, expect, it } from '@jest/globals';
import type { HistoryTurn } from '../engines/engine.ts';
import { answersIn, beginningOf } from './live-beginning.ts';

const GREETING: HistoryTurn = { role: 'agent', content: 'Hello.' };
const QUESTION: HistoryTurn = { role: 'user', content: 'Book a table for two.' };
const BOOKED: HistoryTurn = { role: 'tool', toolName: 'book', args: {}, result: 'ok', error: null };

const begin = (history: readonly HistoryTurn[], modelState: unknown) =>
  beginningOf({ firstMessage: '' }, 'gemini', { callType: 'inbound', modelState }, history);
const stored = (provider: string) => ({ provider, handle: 'handle-1' });

describe('a live model that continues the call of another worker [calls.17]', () => {
  it('learns what was said since its handle', () => {
    const { handle, opening } = begin([GREETING, QUESTION], stored('gemini'));
    expect(handle).toBe('handle-1');
    expect(opening).toContain('Book a table for two.');
  });

  it('gets the whole history if a tool has run without an answer: it must not run again', () => {
    const { handle, opening } = begin([GREETING, QUESTION, BOOKED], stored('gemini'));
    expect(handle).toBeNull();
    expect(opening).toMatch(/^The line broke off/);
    expect(opening).not.toContain('Book a table');
  });

  it('resumes by its handle if the tool has its answer', () => {
    const history = [GREETING, QUESTION, BOOKED, GREETING];
    expect(begin(history, stored('gemini'))).toEqual({ handle: 'handle-1', opening: undefined });
  });

  it('gets the whole history if it has answered since its handle, and not for words of the human alone', () => {
    const state = { ...stored('gemini'), answers: answersIn([GREETING]) };
    expect(begin([GREETING, QUESTION], state).handle).toBe('handle-1');
    // The human interrupted the answer, after which no handle was issued.
    expect(begin([GREETING, QUESTION, GREETING, QUESTION], state).handle).toBeNull();
    expect(begin([GREETING, QUESTION, GREETING], state)).toEqual({ handle: null, opening: undefined });
    expect(begin([GREETING, QUESTION, BOOKED], state).handle).toBeNull();
  });

  it.each([null, stored('another')])(
    'gets no words of the human as an instruction with the history (%j)',
    (state) => {
      const { handle, opening } = begin([GREETING, QUESTION], state);
      expect(handle).toBeNull();
      expect(opening).toMatch(/^The line broke off/);
      expect(opening).not.toContain('Book a table');
    },
  );
});
