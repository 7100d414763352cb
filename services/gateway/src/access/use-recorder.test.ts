import { expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { createUseRecorder } from './use-recorder.ts';

it('writes each used key once, and retries failed writes', async () => {
  const written: string[][] = [];
  let away = true;
  const markUsed = async (ids: readonly string[]): Promise<void> => {
    if (away) throw new Error('the database is away');
    written.push([...ids]);
  };
  const recorder = createUseRecorder({ markUsed }, createClock({ rate: 1, originMs: 0 }));
  recorder.record('a');
  await expect(recorder.flush()).rejects.toThrow('away');
  away = false;
  recorder.record('b');
  await recorder.flush();
  await recorder.flush();
  expect(written.map((ids) => ids.sort())).toEqual([['a', 'b']]);
});
