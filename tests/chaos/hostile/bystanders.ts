import { randomUUID } from 'node:crypto';
import { WEBHOOK_EVENTS } from '@parley/contracts';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { monotonicMs, realSleep } from '@parley/kit/time';
import { receiver } from '@parley/testkit';
import { summarize } from '@parley/testkit/load';
import type { PlatformStage } from '@parley/testkit/stage';
import { z } from 'zod';
import { createApi, createCaller } from './api.ts';

const CALLS_PER_SECOND = 5;
const EVENT_CALLS_PER_SECOND = 1;
const LIMITS = {
  'requests-per-minute': 100_000,
  'request-burst': 1_000,
  'calls-per-second': 100,
  'call-burst': 100,
  'max-live-calls': 5_000,
};

const eventShape = z.object({ event: z.string(), call_id: z.string(), timestamp: z.string() });

/** Measurements of a phase. Latencies are real milliseconds. */
export type Samples = { latencies: number[]; failures: string[] };

export type Bystanders = {
  /** Works for `ms`; returns the measurements of calls and deliveries. Late deliveries count in the next phase. */
  work(ms: number): Promise<{ calls: Samples; deliveries: Samples }>;
  /** Events of the listener's calls that did not arrive within `withinMs`. */
  undelivered(withinMs: number): Promise<string[]>;
};

/** Two well-behaved workspaces: the caller places calls, the listener receives webhooks. */
export async function createBystanders(stage: PlatformStage, lifecycle: Lifecycle): Promise<Bystanders> {
  const hooks = await receiver();
  lifecycle.onStop('receiver', () => hooks.close());
  const [callerKeys, listenerKeys] = [
    await stage.createWorkspace('Caller', LIMITS),
    await stage.createWorkspace('Listener', LIMITS),
  ];
  const caller = await createCaller(createApi(stage.url, callerKeys.private_key), {
    phoneNumber: '+15550100704',
  });
  const listener = await createCaller(createApi(stage.url, listenerKeys.private_key), {
    phoneNumber: '+15550100705',
    webhookUrl: `${hooks.url}/hook`,
  });
  const placed = new Set<string>();

  const place = async (key: string, from: string, seen: Samples): Promise<string | undefined> => {
    const to = `+1202${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}4321`;
    const beganMs = monotonicMs();
    try {
      const response = await fetch(`${stage.url}/v2/call`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify({ from_number: from, to_number: to }),
      });
      const text = await response.text();
      seen.latencies.push(monotonicMs() - beganMs);
      if (response.status === 201) return (JSON.parse(text) as { data: { id: string } }).data.id;
      seen.failures.push(`POST /v2/call: ${response.status} ${text.slice(0, 200)}`);
    } catch (error) {
      seen.failures.push(`POST /v2/call: ${error instanceof Error ? (error.cause ?? error) : error}`);
    }
    return undefined;
  };
  /** Paced by the clock, not by the responses: a slow platform gets just as many requests. */
  const atRate = async (perSecond: number, ms: number, act: () => Promise<unknown>): Promise<void> => {
    const count = Math.ceil((ms / 1_000) * perSecond);
    const beganMs = monotonicMs();
    const acts: Promise<unknown>[] = [];
    for (let n = 0; n < count && !lifecycle.signal.aborted; n += 1) {
      await realSleep(Math.max(0, beganMs + (n * 1_000) / perSecond - monotonicMs()));
      acts.push(act());
    }
    await Promise.all(acts);
  };
  const received = new Set<string>();
  let readCount = 0;
  let deliveries: Samples = { latencies: [], failures: [] };
  /** Polled, since a signature is valid for only five minutes. */
  const readDeliveries = (): void => {
    for (const request of hooks.requests('/hook').slice(readCount)) {
      readCount += 1;
      try {
        const { event, call_id, timestamp } = eventShape.parse(
          hooks.verify(request, listenerKeys.webhook_secret),
        );
        deliveries.latencies.push(stage.ageMs(new Date(timestamp), request.receivedAt));
        received.add(`${call_id} ${event}`);
      } catch (error) {
        deliveries.failures.push(`an event has an invalid signature: ${error}`);
      }
    }
  };
  const reading = setInterval(readDeliveries, 1_000);
  lifecycle.onStop('reading of deliveries', () => clearInterval(reading));

  return {
    work: async (ms) => {
      const calls: Samples = { latencies: [], failures: [] };
      const ofListener: Samples = { latencies: [], failures: [] };
      readDeliveries();
      deliveries = { latencies: [], failures: [] };
      const printing = printMinutes(calls.latencies, deliveries.latencies);
      await Promise.all([
        atRate(CALLS_PER_SECOND, ms, () => place(callerKeys.private_key, caller.phoneNumber, calls)),
        atRate(EVENT_CALLS_PER_SECOND, ms, async () => {
          const id = await place(listenerKeys.private_key, listener.phoneNumber, ofListener);
          if (id) placed.add(id);
        }),
      ]);
      clearInterval(printing);
      readDeliveries();
      return {
        calls,
        deliveries: { ...deliveries, failures: [...deliveries.failures, ...ofListener.failures] },
      };
    },
    undelivered: async (withinMs) => {
      const giveUpAt = monotonicMs() + withinMs;
      for (;;) {
        readDeliveries();
        const missing = [...placed]
          .flatMap((id) => WEBHOOK_EVENTS.map((event) => `${id} ${event}`))
          .filter((event) => !received.has(event));
        if (missing.length === 0 || monotonicMs() > giveUpAt || lifecycle.signal.aborted) return missing;
        await realSleep(500);
      }
    },
  };
}

/** Prints the 99th percentiles of each minute while it is measured. */
function printMinutes(calls: readonly number[], deliveries: readonly number[]): NodeJS.Timeout {
  let [minute, callsSeen, deliveriesSeen] = [0, 0, 0];
  const show = (latencies: number[]): string =>
    latencies.length === 0 ? 'none' : `${summarize(0, latencies).p99.toFixed(0)} ms`;
  return setInterval(() => {
    minute += 1;
    const [ofCalls, ofDeliveries] = [calls.slice(callsSeen), deliveries.slice(deliveriesSeen)];
    [callsSeen, deliveriesSeen] = [calls.length, deliveries.length];
    console.log(`minute ${minute}: p99 of calls ${show(ofCalls)}, of deliveries ${show(ofDeliveries)}`);
  }, 60_000);
}
