import { describe, expect, it } from '@jest/globals';
import type { Entry } from '../../sessions/ports.ts';
import { toTurns, withTranscribedTurns } from './transcribed-turns.ts';

const ANSWER = new Date('2026-01-31T08:00:00.000Z');
const outcome = { statusCode: 200, result: {}, error: null, slow: false, documents: null };
const tool: Entry = {
  seq: 1,
  at: new Date('2026-01-31T08:00:02.000Z'),
  role: 'tool',
  toolName: 'look_up',
  toolType: 'custom',
  description: null,
  args: {},
  outcome,
};

describe('what was heard [calls.14]', () => {
  it('is ordered by time across the channels, with the tools at their places', () => {
    const record: Entry[] = [{ seq: 0, at: ANSWER, role: 'agent', content: 'Helo' }, tool];
    const transcribed = toTurns(
      [
        { speaker: 'agent', atMs: 100, text: 'Hello' },
        { speaker: 'user', atMs: 1_500, text: 'Who is it?' },
        { speaker: 'agent', atMs: 2_500, text: 'Ada' },
      ],
      ANSWER,
    );
    expect(transcribed[1]).toEqual({
      role: 'user',
      content: 'Who is it?',
      timestamp: '2026-01-31T08:00:01.500Z',
    });
    expect(
      withTranscribedTurns(record, transcribed).map((entry) =>
        'content' in entry ? entry.content : entry.toolName,
      ),
    ).toEqual(['Hello', 'Who is it?', 'look_up', 'Ada']);
  });
});
