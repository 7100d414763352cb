import { describe, expect, it } from '@jest/globals';
import { createSteps } from './steps.ts';

function record(isTTY: boolean) {
  const written: string[] = [];
  const steps = createSteps({ isTTY, write: (text) => written.push(text) });
  return { steps, text: () => written.join('') };
}

describe('createSteps', () => {
  it('shows a plain line per step without a terminal', async () => {
    const { steps, text } = record(false);
    const result = await steps.step('Redis', async (hint) => {
      hint('looking');
      hint('7.0');
      return 5;
    });
    expect(result).toBe(5);
    expect(text()).toMatch(/^ {2}✓ Redis {8}7\.0 {2}\d+ ms\n$/);
  });

  it('marks a failed step, and rethrows its error', async () => {
    const { steps, text } = record(false);
    const failure = steps.step('Build', async () => Promise.reject(new Error('no')));
    await expect(failure).rejects.toThrow('no');
    expect(text()).toContain('✗ Build');
  });

  it('shows a transient line of current work on a terminal, and clears it for each permanent line', async () => {
    const { steps, text } = record(true);
    await steps.step('Build', async (hint) => {
      hint('compiling');
      steps.print('hello');
    });
    expect(text()).toContain('… Build: compiling');
    expect(text()).toContain('\r\u001b[2Khello\n');
    expect(text().endsWith('\n')).toBe(true);
  });
});
