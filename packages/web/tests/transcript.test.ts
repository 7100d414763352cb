import { describe, expect, it } from '@jest/globals';
import type { Turn } from '../src/call/call.ts';
import { createTranscript } from '../src/call/transcript.ts';

describe('the transcript of a call', () => {
  const setUp = () => {
    const told: Turn[] = [];
    return { told, transcript: createTranscript((turn) => told.push(turn)) };
  };

  it('tells each turn once, and its corrections', () => {
    const { told, transcript } = setUp();
    transcript.put({ seq: 0, role: 'agent', text: 'Hello there' });
    transcript.addMessages([{ seq: 0, role: 'agent', content: 'Hello there' }]);
    transcript.put({ seq: 0, role: 'agent', text: 'Hello' });
    expect(told.map(({ text }) => text)).toEqual(['Hello there', 'Hello']);
  });

  it('is in the order of the turns, without those that were taken back', () => {
    const { transcript } = setUp();
    transcript.put({ seq: 100_000, role: 'user', text: 'Three' });
    transcript.put({ seq: 0, role: 'agent', text: 'One' });
    transcript.put({ seq: 1, role: 'agent', text: 'Two' });
    transcript.put({ seq: 1, role: 'agent', text: '' });
    expect(transcript.all().map(({ text }) => text)).toEqual(['One', 'Three']);
    expect(transcript.lastSeq()).toBe(100_000);
  });

  it('is corrected by the server after a cut, except for what the new connection has told', () => {
    const { told, transcript } = setUp();
    transcript.put({ seq: 0, role: 'agent', text: 'Zero' });
    transcript.put({ seq: 1, role: 'agent', text: 'One, two, three' });
    transcript.put({ seq: 2, role: 'agent', text: 'Taken back' });
    transcript.disconnect();
    const { turns, after } = transcript.unsure();
    expect(after).toBeUndefined();
    transcript.put({ seq: 0, role: 'agent', text: 'Zero, corrected' });
    transcript.put({ seq: 3, role: 'user', text: 'Four' });
    transcript.addMessages(
      [
        { seq: 0, role: 'agent', content: 'Zero' },
        { seq: 1, role: 'agent', content: 'One' },
      ],
      turns,
    );
    expect(transcript.all().map(({ text }) => text)).toEqual(['Zero, corrected', 'One', 'Four']);
    expect(told.at(-2)).toEqual({ seq: 2, role: 'agent', text: '' });
  });

  it('asks again for its last turns only', () => {
    const { transcript } = setUp();
    for (let seq = 0; seq < 20; seq += 1) transcript.put({ seq, role: 'user', text: `${seq}` });
    const { turns, after } = transcript.unsure();
    expect([after, turns[0]?.seq, turns.length]).toEqual([11, 12, 8]);
  });
});
