import { describe, expect, it } from '@jest/globals';
import { rememberBriefly } from './remember-briefly.ts';

/** Good is what begins with `good`; `asked` is what the database was asked for. */
function remembering() {
  const asked: string[] = [];
  const memory = rememberBriefly(async (hash) => {
    asked.push(hash);
    return hash.startsWith('good') ? hash : undefined;
  });
  return { memory, asked };
}

describe('what is remembered of keys and sessions', () => {
  it('outlives ten thousand guesses and more', async () => {
    const { memory, asked } = remembering();
    await memory.findByHash('good');
    for (let i = 0; i < 20_001; i += 1) await memory.findByHash(`guess ${i}`);
    expect(memory.knows('good')).toBe(true);
    expect(asked.filter((hash) => hash === 'good')).toHaveLength(1);
  });

  it('is bounded: of ten thousand and one the oldest is asked for again', async () => {
    const { memory, asked } = remembering();
    for (let i = 0; i <= 10_000; i += 1) await memory.findByHash(`good ${i}`);
    expect([memory.knows('good 0'), memory.knows('good 1')]).toEqual([false, true]);
    await memory.findByHash('good 0');
    expect(asked.filter((hash) => hash === 'good 0')).toHaveLength(2);
  });

  it('shares one look-up, and looks again after one that failed', async () => {
    let times = 0;
    const memory = rememberBriefly(async () => {
      times += 1;
      if (times === 1) throw new Error('the database is away');
      return 'found';
    });
    const both = await Promise.allSettled([memory.findByHash('a'), memory.findByHash('a')]);
    expect([times, both.map(({ status }) => status)]).toEqual([1, ['rejected', 'rejected']]);
    expect([await memory.findByHash('a'), times]).toEqual(['found', 2]);
  });

  it('is nothing that was forgotten while it was looked up', async () => {
    const { memory, asked } = remembering();
    const early = memory.findByHash('good');
    memory.forget('good');
    await early;
    await memory.findByHash('good');
    expect(asked).toHaveLength(2);
  });
});
