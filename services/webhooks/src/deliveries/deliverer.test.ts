import { afterEach, expect, it } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { type Clock, createClock, monotonicMs } from '@parley/kit/time';
import { type Claim, MAX_CLAIM_BYTES } from './claim-due.ts';
import { createDeliverer } from './deliverer.ts';
import type { DeliveryStore } from './deliveries.store.ts';

const log = createLogger({ service: 'webhooks', level: 'silent' });
const NOW = new Date('2026-11-20T12:00:00.000Z');
let lifecycle: Lifecycle;

afterEach(() => lifecycle.stop('test'));

/** Two claims of a deliverer, and the timers that it armed; a timer fires as soon as it is armed. */
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
      markDue: async () => ({ anyReady: true, nextDueAt: new Date(NOW.getTime() + dueInMs) }),
      freeExpired: async () => {},
      record: async () => true,
      giveBack: async () => {},
    };
    const clock = { ...createClock({ rate, originMs: 0 }), now: () => NOW, timer };
    createDeliverer({ store, deliver: async () => {}, concurrency: 4, clock, log, lifecycle });
  });
  return [...armed];
}

it('claims again when the next event is due, not at the next poll [webhooks.10]', async () => {
  expect(await twoClaims(60, 20_000)).toEqual([20_000]);
});

it('leaves events due after the next poll to the poll', async () => {
  expect(await twoClaims(1, 20_000)).toEqual([]);
});

it('claims nothing while nothing is ready', async () => {
  lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  const steps: string[] = [];
  await new Promise<void>((resolve) => {
    const store: DeliveryStore = {
      claim: async () => {
        steps.push('claim');
        resolve();
        return [];
      },
      markDue: async () => {
        steps.push('mark');
        deliverer.wake();
        return { anyReady: steps.length > 1, nextDueAt: undefined };
      },
      freeExpired: async () => {},
      record: async () => true,
      giveBack: async () => {},
    };
    const clock = createClock({ rate: 1, originMs: 0 });
    const deliverer = createDeliverer({
      store,
      deliver: async () => {},
      concurrency: 4,
      clock,
      log,
      lifecycle,
    });
  });
  expect(steps).toEqual(['mark', 'mark', 'claim']);
});

it('claims at the next poll what became ready elsewhere', async () => {
  lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  const steps: string[] = [];
  const beganMs = monotonicMs();
  await new Promise<void>((resolve) => {
    const store: DeliveryStore = {
      claim: async () => {
        steps.push('claim');
        resolve();
        return [];
      },
      markDue: async () => {
        steps.push('mark');
        return { anyReady: steps.length > 1, nextDueAt: undefined };
      },
      freeExpired: async () => {},
      record: async () => true,
      giveBack: async () => {},
    };
    const clock = createClock({ rate: 1, originMs: 0 });
    createDeliverer({ store, deliver: async () => {}, concurrency: 4, clock, log, lifecycle });
  });
  expect(steps).toEqual(['mark', 'mark', 'claim']);
  // A poll is 500 ms; a busy machine takes longer.
  expect(monotonicMs() - beganMs).toBeLessThan(5_000);
});

it('reserves half of its attempts for endpoints that respond in time [webhooks.16]', async () => {
  lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  const requested: [number, number | undefined][] = [];
  const ends: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    const store: DeliveryStore = {
      claim: async (maxClaims, maxUnresponsive) => {
        requested.push([maxClaims, maxUnresponsive]);
        if (requested.length === 3) resolve();
        if (requested.length === 2) for (const end of ends) end();
        const claim = { unresponsive: true, body: '' } as Claim;
        return requested.length === 1 ? [claim, claim] : [];
      },
      markDue: async () => ({ anyReady: true, nextDueAt: undefined }),
      freeExpired: async () => {},
      record: async () => true,
      giveBack: async () => {},
    };
    const deliver = () => new Promise<void>((end) => void ends.push(end));
    const clock = createClock({ rate: 1, originMs: 0 });
    createDeliverer({ store, deliver, concurrency: 4, clock, log, lifecycle });
  });
  expect(requested.slice(0, 3)).toEqual([
    [4, 2],
    [2, 0],
    [4, 2],
  ]);
});

it('claims no more bytes than are left of those in progress', async () => {
  lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  const requested: (number | undefined)[] = [];
  const ends: (() => void)[] = [];
  await new Promise<void>((resolve) => {
    const store: DeliveryStore = {
      claim: async (_maxClaims, _maxUnresponsive, maxBytes) => {
        requested.push(maxBytes);
        if (requested.length === 3) resolve();
        const half = { unresponsive: false, body: { length: MAX_CLAIM_BYTES / 2 } } as unknown as Claim;
        return requested.length === 1 ? [half] : [];
      },
      markDue: async () => {
        // Claims go on when the attempt has ended.
        if (requested.length === 2) for (const end of ends) end();
        return { anyReady: true, nextDueAt: undefined };
      },
      freeExpired: async () => {},
      record: async () => true,
      giveBack: async () => {},
    };
    const deliver = () => new Promise<void>((end) => void ends.push(end));
    const clock = createClock({ rate: 1, originMs: 0 });
    createDeliverer({ store, deliver, concurrency: 4, clock, log, lifecycle }).wake();
  });
  expect(requested.slice(0, 2)).toEqual([MAX_CLAIM_BYTES, MAX_CLAIM_BYTES / 2]);
});
