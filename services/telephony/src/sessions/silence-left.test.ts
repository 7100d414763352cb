import { describe, expect, it } from '@jest/globals';
import { silenceLeftMs } from './silence-left.ts';

const at = (seconds: number): Date => new Date(Date.parse('2026-01-31T08:00:00.000Z') + seconds * 1000);
const agent = (seconds: number, content = '') =>
  ({ seq: 0, at: at(seconds), role: 'agent', content }) as const;
const left = (given: Partial<Parameters<typeof silenceLeftMs>[0]>): number =>
  silenceLeftMs({ timeoutMs: 30_000, last: agent(0), answeredAt: at(0), now: at(0), ...given });

describe('silenceLeftMs [assistants.10]', () => {
  it('counts from the last turn, across workers', () => {
    expect(left({ now: at(0) })).toBe(30_000);
    expect(left({ now: at(12) })).toBe(18_000);
    expect(left({ now: at(24) })).toBe(6_000);
  });

  it('does not count the time in which the assistant spoke', () => {
    expect(left({ last: agent(0, 'x'.repeat(100)), now: at(12) })).toBe(26_000);
    expect(left({ last: agent(0, 'x'.repeat(1_000)), now: at(12) })).toBe(30_000);
  });

  it('counts from the answer if nothing was said', () => {
    expect(left({ last: null, answeredAt: at(4), now: at(14) })).toBe(20_000);
  });

  it('allows a moment to a human who spoke while no worker listened', () => {
    expect(left({ now: at(90) })).toBe(5_000);
  });
});
