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

it('does not share a failure: the next one tries', async () => {
  const fly = createSingleFlight<string>();
  const fail = () => Promise.reject(new Error('the client has gone'));
  const [first, second, third] = await Promise.allSettled([
    fly('a', fail),
    fly('a', async () => 'second'),
    fly('a', async () => 'third'),
  ]);
  expect(first.status).toBe('rejected');
  expect(second).toMatchObject({ value: 'second' });
  expect(third).toMatchObject({ value: 'second' });
});
