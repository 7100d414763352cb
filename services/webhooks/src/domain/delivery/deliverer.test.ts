import { afterEach, expect, it } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { type Clock, createClock } from '@parley/kit/time';
import { createDeliverer } from './deliverer.ts';
import type { DeliveryStore } from './ports.ts';

const log = createLogger({ service: 'webhooks', level: 'silent' });
const NOW = new Date('2026-11-20T12:00:00.000Z');
let lifecycle: Lifecycle;

afterEach(() => lifecycle.stop('test'));

/** Two claims of a deliverer, and the waits that it armed; a timer fires as soon as it is armed. */
async function twoClaims(rate: number, dueInMs: number): Promise<number[]> {
  const armed: number[] = [];
  const timer: Clock['timer'] = (ms, fn) => {
    armed.push(ms);
    queueMicrotask(fn);
    return () => {};
  };
  lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  await new Promise<void>((resolve) => {
    let claims = 0;
    const store: DeliveryStore = {
      claim: async () => {
        claims += 1;
        if (claims === 2) resolve();
        return [];
      },
      markDue: async () => new Date(NOW.getTime() + dueInMs),
      freeExpired: async () => {},
      record: async () => true,
      giveBack: async () => {},
    };
    const clock = { ...createClock({ rate, originMs: 0 }), now: () => NOW, timer };
    createDeliverer({ store, attempt: async () => {}, concurrency: 4, clock, log, lifecycle });
  });
  return [...armed];
}

it('claims again at the instant at which the next event is due, not at the next poll (D8.2)', async () => {
  expect(await twoClaims(60, 20_000)).toEqual([20_000]);
});

it('leaves what is due later than the next poll to the poll', async () => {
  expect(await twoClaims(1, 20_000)).toEqual([]);
});
