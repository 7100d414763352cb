import { describe, expect, it } from '@jest/globals';
import { silenceLeftMs } from './silence-left.ts';

const at = (seconds: number): Date => new Date(Date.parse('2026-01-31T08:00:00.000Z') + seconds * 1000);
const agent = (seconds: number, content = '') =>
  ({ seq: 0, at: at(seconds), role: 'agent', content }) as const;
const left = (given: Partial<Parameters<typeof silenceLeftMs>[0]>): number =>
  silenceLeftMs({ timeoutMs: 30_000, last: agent(0), answeredAt: at(0), now: at(0), ...given });

describe('silenceLeftMs [assistants.10]', () => {
  it('counts on from the last turn, whoever has waited until now', () => {
    expect(left({ now: at(0) })).toBe(30_000);
    expect(left({ now: at(12) })).toBe(18_000);
    expect(left({ now: at(24) })).toBe(6_000);
  });

  it('does not count what the assistant took to say it', () => {
    expect(left({ last: agent(0, 'x'.repeat(100)), now: at(12) })).toBe(26_000);
    expect(left({ last: agent(0, 'x'.repeat(1_000)), now: at(12) })).toBe(30_000);
  });

  it('counts from the answer where nothing was said', () => {
    expect(left({ last: null, answeredAt: at(4), now: at(14) })).toBe(20_000);
  });

  it('leaves a moment to whoever spoke while nobody listened', () => {
    expect(left({ now: at(90) })).toBe(5_000);
  });
});
