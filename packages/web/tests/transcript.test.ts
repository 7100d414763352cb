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
});
