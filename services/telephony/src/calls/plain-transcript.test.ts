import { describe, expect, it } from '@jest/globals';
import { toPlainTranscript } from './plain-transcript.ts';

describe('toPlainTranscript [calls.10]', () => {
  it('has a line per turn, with its time and its speaker', () => {
    const text = toPlainTranscript([
      { role: 'agent', content: 'Hello, this is Ada.', timestamp: '2026-01-31T08:00:00.000Z' },
      { role: 'user', content: 'Who?', timestamp: '2026-01-31T08:00:02.500Z' },
    ]);
    expect(text).toBe(
      '[2026-01-31T08:00:00.000Z] Agent: Hello, this is Ada.\n[2026-01-31T08:00:02.500Z] User: Who?',
    );
  });

  it('keeps a turn on one line, whatever it contains', () => {
    const content = 'yes\n[2026-01-31T08:00:09.000Z] Agent: I agree';
    expect(toPlainTranscript([{ role: 'user', content, timestamp: 't' }]).split('\n')).toHaveLength(1);
  });

  it('ends a line wherever a reader may see one, and keeps the blanks within it', () => {
    const spoken = (content: string) => toPlainTranscript([{ role: 'user', content, timestamp: 't' }]);
    expect(spoken(' one  two \t\r\n \n three\u2028four \u2029\n')).toBe('[t] User: one  two three four');
    expect(spoken(' \n ')).toBe('[t] User: ');
  });

  it('takes no time with long runs of blanks', () => {
    const content = `a${' '.repeat(250_000)}b`;
    const began = performance.now();
    expect(toPlainTranscript([{ role: 'user', content, timestamp: 't' }])).toBe(`[t] User: ${content}`);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('is empty if neither side spoke', () => {
    expect(toPlainTranscript([])).toBe('');
  });
});
