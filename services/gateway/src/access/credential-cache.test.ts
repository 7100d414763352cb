import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createCredentialCache } from './credential-cache.ts';

/** Keys that start with `good` are valid; `asked` contains the lookups in the database. */
function remembering() {
  const asked: string[] = [];
  const memory = createCredentialCache(async (hash) => {
    asked.push(hash);
    return hash.startsWith('good') ? hash : undefined;
  });
  return { memory, asked };
}

describe('the cache of keys and sessions', () => {
  it('survives ten thousand guesses and more', async () => {
    const { memory, asked } = remembering();
    await memory.findByHash('good');
    for (let i = 0; i < 20_001; i += 1) await memory.findByHash(`guess ${i}`);
    expect(memory.knows('good')).toBe(true);
    expect(asked.filter((hash) => hash === 'good')).toHaveLength(1);
  });

  it('is bounded: the oldest of ten thousand and one is looked up again', async () => {
    const { memory, asked } = remembering();
    for (let i = 0; i <= 10_000; i += 1) await memory.findByHash(`good ${i}`);
    expect([memory.knows('good 0'), memory.knows('good 1')]).toEqual([false, true]);
    await memory.findByHash('good 0');
    expect(asked.filter((hash) => hash === 'good 0')).toHaveLength(2);
  });

  it('shares concurrent lookups, and looks up again after a failure', async () => {
    let times = 0;
    const memory = createCredentialCache(async () => {
      times += 1;
      if (times === 1) throw new Error('the database is away');
      return 'found';
    });
    const both = await Promise.allSettled([memory.findByHash('a'), memory.findByHash('a')]);
    expect([times, both.map(({ status }) => status)]).toEqual([1, ['rejected', 'rejected']]);
    expect([await memory.findByHash('a'), times]).toEqual(['found', 2]);
  });

  it('looks a credential up again at most once a second, however often it is asked to [trust.1]', async () => {
    const { memory, asked } = remembering();
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    try {
      await memory.findByHash('good');
      for (let i = 0; i < 100; i += 1) expect(await memory.findAgain('good')).toBe('good');
      expect(asked).toHaveLength(2);
      now.mockReturnValue(2_001);
      await memory.findAgain('good');
      expect(asked).toHaveLength(3);
    } finally {
      now.mockRestore();
    }
  });

  it('stores nothing that was invalidated during its lookup', async () => {
    const { memory, asked } = remembering();
    const early = memory.findByHash('good');
    memory.forget('good');
    await early;
    await memory.findByHash('good');
    expect(asked).toHaveLength(2);
  });

  describe('at 550 ms', () => {
    afterEach(() => {
      jest.restoreAllMocks();
    });

    /** Controls the result and the time of each lookup. */
    function answering() {
      let nowMs = 1_000;
      jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
      const answers: ((value: string | undefined | Error) => void)[] = [];
      const memory = createCredentialCache(
        () =>
          new Promise<string | undefined>((resolve, reject) => {
            answers.push((value) => (value instanceof Error ? reject(value) : resolve(value)));
          }),
      );
      const answer = async (value: string | undefined | Error): Promise<void> => {
        answers.shift()?.(value);
        await new Promise(setImmediate);
      };
      const pass = (ms: number): void => {
        nowMs += ms;
      };
      return { memory, answers, answer, pass };
    }

    it('is refreshed in the background, without delaying requests', async () => {
      const { memory, answers, answer, pass } = answering();
      const first = memory.findByHash('a');
      await answer('old');
      expect(await first).toBe('old');
      pass(600);
      expect([await memory.findByHash('a'), await memory.findByHash('a'), answers.length]).toEqual([
        'old',
        'old',
        1,
      ]);
      await answer('new');
      pass(800);
      expect(await memory.findByHash('a')).toBe('new');
    });

    it('is used for at most 900 ms after it was read, however long the refresh takes', async () => {
      const { memory, answers, answer, pass } = answering();
      void memory.findByHash('a');
      await answer('old');
      pass(600);
      await memory.findByHash('a');
      pass(301);
      const late = memory.findByHash('a');
      pass(600);
      await answer('of the refresh');
      await answer(undefined);
      expect([await late, answers.length, memory.knows('a')]).toEqual([undefined, 0, false]);
    });

    it('removes an entry that the refresh does not find, and retries a failed refresh', async () => {
      const { memory, answers, answer, pass } = answering();
      void memory.findByHash('a');
      await answer('old');
      pass(600);
      await memory.findByHash('a');
      await answer(new Error('the database is away'));
      expect([await memory.findByHash('a'), answers.length]).toEqual(['old', 1]);
      await answer(undefined);
      expect([await memory.findByHash('a'), memory.knows('a')]).toEqual([undefined, false]);
    });

    it('stays invalidated when that happens during a refresh', async () => {
      const { memory, answer, pass } = answering();
      void memory.findByHash('a');
      await answer('old');
      pass(600);
      await memory.findByHash('a');
      memory.forget('a');
      await answer('old');
      expect(memory.knows('a')).toBe(false);
    });
  });
});
