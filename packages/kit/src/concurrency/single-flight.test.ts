import { expect, it } from '@jest/globals';
import { createSingleFlight } from './single-flight.ts';

it('runs work of a key once at a time, and all that wait get its result', async () => {
  const fly = createSingleFlight<number>();
  let runs = 0;
  const work = async (): Promise<number> => {
    runs += 1;
    const run = runs;
    await Promise.resolve();
    return run;
  };
  expect(await Promise.all([fly('a', work), fly('a', work), fly('b', work)])).toEqual([1, 1, 2]);
  expect(await fly('a', work)).toBe(3);
});

it('those that wait for a run that fails share one more', async () => {
  const fly = createSingleFlight<string>();
  const fail = (message: string) => () => Promise.reject(new Error(message));
  const outcomes = await Promise.allSettled([
    fly('a', fail('the client has gone')),
    fly('a', async () => 'second'),
    fly('a', async () => 'third'),
    fly('b', fail('down')),
    fly('b', fail('still down')),
    fly('b', async () => 'never runs'),
  ]);
  expect(outcomes.map((it) => (it.status === 'fulfilled' ? it.value : it.reason.message))).toEqual([
    ...['the client has gone', 'second', 'second'],
    ...['down', 'still down', 'still down'],
  ]);
});
