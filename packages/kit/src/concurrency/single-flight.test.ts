import { AsyncLocalStorage } from 'node:async_hooks';
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

it('a run that fails fails for all that wait for it', async () => {
  const fly = createSingleFlight<string>();
  const outcomes = await Promise.allSettled([
    fly('a', () => Promise.reject(new Error('down'))),
    fly('a', async () => 'never runs'),
    fly('b', async () => 'runs'),
  ]);
  expect(outcomes.map((it) => (it.status === 'fulfilled' ? it.value : it.reason.message))).toEqual([
    ...['down', 'down', 'runs'],
  ]);
});

it('each caller runs in its own context, and one whose client has gone fails no other', async () => {
  const clients = new AsyncLocalStorage<string>();
  const gone = new Set(['first', 'second']);
  const fly = createSingleFlight<string | undefined>({
    isOwn: (err) => err instanceof Error && err.message.endsWith('has gone'),
  });
  const call = (client: string) =>
    clients.run(client, () =>
      fly('a', async () => {
        await Promise.resolve();
        const own = clients.getStore();
        if (own !== undefined && gone.has(own)) throw new Error(`${own} has gone`);
        return own;
      }),
    );
  const outcomes = await Promise.allSettled(['first', 'second', 'third', 'fourth'].map(call));
  expect(outcomes.map((it) => (it.status === 'fulfilled' ? it.value : it.reason.message))).toEqual([
    ...['first has gone', 'second has gone', 'third', 'third'],
  ]);
});
