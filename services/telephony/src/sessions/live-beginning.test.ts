import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { dialingCall, START } from '../../tests/session-parts.ts';
import { createHistory } from './history.ts';
import { beginningOf, toLiveState } from './live-beginning.ts';
import type { Entry, SpokenEntry, ToolEntry } from './ports.ts';
import { createCallRecord } from './record.ts';
import { succeeded } from './tools/tool-outcome.ts';

const GREETING: SpokenEntry = { role: 'agent', content: 'Hello.', isInterrupted: false };
const QUESTION: SpokenEntry = { role: 'user', content: 'Book a table for two.' };
const BOOKED: ToolEntry = {
  role: 'tool',
  toolName: 'book',
  toolType: 'custom',
  description: null,
  args: {},
  outcome: succeeded('ok'),
};

const turns = { append: () => {}, correct: () => {}, drained: async () => true, forget: () => {} };
const recordOf = (...said: readonly (SpokenEntry | ToolEntry)[]) => {
  const record = createCallRecord({ turns, now: () => START }, () => dialingCall, []);
  for (const entry of said) record.add(entry);
  return record;
};
const begin = ({ entries }: { entries: readonly Entry[] }, modelState: unknown) =>
  beginningOf(
    { firstMessage: '' },
    'gemini',
    { callType: 'inbound', modelState },
    createHistory({ entries }, 'audio'),
  );
/** A handle that was issued when the record ended with the entry at `seq`. */
const stored = (seq: number, provider = 'gemini') =>
  toLiveState(provider, 'handle-1', { turns: () => [], lastAnswerSeq: () => seq });

describe('a live model that continues the call of another worker [calls.17]', () => {
  it('learns what was said since its handle', () => {
    const { handle, opening } = begin(recordOf(GREETING, QUESTION), stored(0));
    expect(handle).toBe('handle-1');
    expect(opening).toContain('Book a table for two.');
  });

  it('gets the whole history if a tool has run without an answer: it must not run again', () => {
    const { handle, opening } = begin(recordOf(GREETING, QUESTION, BOOKED), stored(2));
    expect(handle).toBeNull();
    expect(opening).toMatch(/^The line broke off/);
    expect(opening).not.toContain('Book a table');
  });

  it('resumes by its handle if the tool has its answer', () => {
    const record = recordOf(GREETING, QUESTION, BOOKED, GREETING);
    expect(begin(record, stored(3))).toEqual({ handle: 'handle-1', opening: undefined });
  });

  it('gets the whole history if it has answered since its handle, and not for words of the human alone', () => {
    expect(begin(recordOf(GREETING, QUESTION), stored(0)).handle).toBe('handle-1');
    // The human interrupted the answer, after which no handle was issued.
    expect(begin(recordOf(GREETING, QUESTION, GREETING, QUESTION), stored(0)).handle).toBeNull();
    expect(begin(recordOf(GREETING, QUESTION, GREETING), stored(0))).toEqual({
      handle: null,
      opening: undefined,
    });
    expect(begin(recordOf(GREETING, QUESTION, BOOKED), stored(0)).handle).toBeNull();
  });

  it('gets the whole history if an unheard answer was removed after the handle, and it has answered again since', () => {
    const record = recordOf(GREETING, QUESTION);
    const history = createHistory(record, 'audio');
    const unheard = record.add({ role: 'agent', content: 'At what time?' });
    const handle = stored(history.lastAnswerSeq());
    if (unheard) record.correct(unheard, { content: '', isInterrupted: true });
    expect(begin(record, handle).handle).toBe('handle-1');
    record.add({ role: 'agent', content: 'When would you like to come?', isInterrupted: false });
    expect(record.entries).toHaveLength(3);
    expect(begin(record, handle).handle).toBeNull();
  });

  it('resumes by its handle if it was speaking when its worker died', () => {
    const record = recordOf(GREETING, QUESTION, { role: 'agent', content: 'At what time?' });
    const { handle, opening } = begin(record, stored(0));
    expect(handle).toBe('handle-1');
    expect(opening).toContain('Book a table for two.');
  });

  it.each([
    ['none', null],
    ['that of another provider', stored(0, 'another')],
    ['of an earlier version', { provider: 'gemini', handle: 'handle-1' }],
    ['of an earlier version, with a position', { provider: 'gemini', handle: 'handle-1', seq: 0 }],
    ['of a later version', { ...stored(0), version: 3 }],
    ['something else', 'handle-1'],
  ])(
    'gets the history, and no words of the human as an instruction, if its stored state is %s',
    (_, modelState) => {
      const { handle, opening } = begin(recordOf(GREETING, QUESTION), modelState);
      expect(handle).toBeNull();
      expect(opening).toMatch(/^The line broke off/);
      expect(opening).not.toContain('Book a table');
    },
  );

  it('gets the whole history in a worker of the first versions, which trusted any handle', () => {
    const trusted = z.object({ provider: z.string(), handle: z.string() });
    expect(trusted.safeParse(stored(0)).success).toBe(false);
  });
});
