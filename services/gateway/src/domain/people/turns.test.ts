import { expect, it } from '@jest/globals';
import { createTurns } from './turns.ts';

it('runs some at once, lets some wait in order, and refuses more with 503 and when to come again', async () => {
  const inTurn = createTurns({ atOnce: 2, waiting: 3 });
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const ask = (name: number): Promise<number> =>
    inTurn(async () => {
      begun.push(name);
      await new Promise<void>((end) => ends.push(end));
      return name;
    });
  const asked = [0, 1, 2, 3, 4].map(ask);
  const refused = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: expect.any(Number) };
  await expect(ask(5)).rejects.toMatchObject(refused);
  expect(begun).toEqual([0, 1]);

  // A turn that ends is another's, and its place in the queue is free.
  ends.shift()?.();
  await asked[0];
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  const late = ask(6);
  await expect(ask(7)).rejects.toMatchObject(refused);
  const all = Promise.all([...asked, late]);
  for (let i = 0; i < 5; i += 1) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  expect([await all, begun]).toEqual([
    [0, 1, 2, 3, 4, 6],
    [0, 1, 2, 3, 4, 6],
  ]);
});
