import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createRandom, type Random, runBench } from '@parley/testkit/load';
import { countInFlight, type InFlight } from './crash-webhooks/in-flight.ts';
import { MOMENTS, type Moment, TRAPS } from './crash-webhooks/moments.ts';
import { type Stage, setStage } from './crash-webhooks/stage.ts';
import { type PublishedCall, startTraffic } from './crash-webhooks/traffic.ts';
import { judge, pendingEvents, recordedEvents } from './crash-webhooks/verdict.ts';

// Kills one of three webhooks processes with SIGKILL repeatedly, at points of a delivery that can be observed from outside:
// it has claimed an event (it requests the secrets), sent it, received the response, or is about to record the attempt or
// to release the next event. Also kills Postgres and RabbitMQ, which belong to this run. Then checks that no event was
// lost, sent more often than the deliveries in flight explain, or sent out of order. RUNS: number of kills (200); SEED:
// seed of the random choices; CALLS_PER_SECOND (6); MAX_SECONDS: time limit (1,800). Cleans up after itself.

const RUNS = Number(process.env.RUNS ?? 200);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const CALLS_PER_SECOND = Number(process.env.CALLS_PER_SECOND ?? 6);
/** On a machine that is too busy, the run stops early and counts as failed. Real time. */
const MAX_DURATION_MS = Number(process.env.MAX_SECONDS ?? 1_800) * 1000;
/** Seconds of stack time per real second: a hold of 30 minutes lasts 3. Leases follow real time. */
const RATE = 10;
/** After this many kills of a process, Postgres or RabbitMQ is killed, alternately. */
const SERVER_EVERY = 15;
/** How long the last events may take; what is left then counts as lost. Real time. */
const DRAIN_MS = Number(process.env.DRAIN_SECONDS ?? 240) * 1000;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const random = createRandom(SEED);
  const stage = await setStage(RATE, random, lifecycle);
  await stage.ready();
  const traffic = startTraffic(stage, random, CALLS_PER_SECOND, lifecycle);
  const inFlight = countInFlight(stage);
  console.log(`${RUNS} × kill -9, seed ${SEED}, ${CALLS_PER_SECOND} calls a second`);

  const began = performance.now();
  const kills = new Map<Moment, number>();
  const servers = { Postgres: 0, RabbitMQ: 0 };
  let run = 0;
  while (run < RUNS && performance.now() - began < MAX_DURATION_MS) {
    // A process that has just started would usually die before it has done anything.
    await stage.ready(2);
    const moment = random.pick(MOMENTS);
    const victim = await TRAPS[moment](stage, random);
    if (victim === undefined) continue;
    await inFlight.recordDeath(victim);
    run += 1;
    kills.set(moment, (kills.get(moment) ?? 0) + 1);
    if (run % SERVER_EVERY === 0) await killServer(stage, servers, inFlight, random);
    if (run % 20 === 0) console.log(`${run} kills in ${seconds(began)} s`);
  }
  const killing = seconds(began);
  await traffic.stop();
  await stage.ready();
  await drained(stage, traffic.calls);

  const { breaches, duplicates, afterHold } = await judge(stage, traffic.calls, inFlight);
  const { arrivals, badlySigned } = stage.receiver;
  console.log(
    `kills in ${killing} s: ${formatCounts(kills)}; servers: ${formatCounts(Object.entries(servers))}`,
  );
  console.log(
    `${traffic.calls.length} calls, ${traffic.calls.flatMap(({ events }) => events).length} events, ${arrivals.length} requests; ${inFlight.total()} in flight at a kill, ${duplicates} of them repeated; ${afterHold} calls had events after their hold`,
  );
  console.log(`bar: ${RUNS} kills: ${run === RUNS ? 'met' : `MISSED, ${run}`}`);
  const found = [
    ...breaches,
    ['request with an invalid signature', Array<string>(badlySigned()).fill('a request')] as const,
  ];
  for (const [what, ids] of found) {
    console.log(
      `bar: no ${what}: ${ids.length === 0 ? 'met' : `MISSED by ${ids.length}: ${ids.slice(0, 5)}`}`,
    );
  }
  return run === RUNS && found.every(([, ids]) => ids.length === 0);
}

async function killServer(
  { postgres, broker }: Stage,
  servers: { Postgres: number; RabbitMQ: number },
  inFlight: InFlight,
  random: Random,
): Promise<void> {
  await sleep(random.upTo(1_000));
  if (servers.Postgres <= servers.RabbitMQ) {
    await postgres.kill();
    // No process could record its attempts.
    await inFlight.recordDeath();
    servers.Postgres += 1;
  } else {
    await broker.kill();
    servers.RabbitMQ += 1;
  }
}

/** Waits until every event is recorded and finished, at most `DRAIN_MS`; the verdict reports what is left. */
async function drained(stage: Stage, calls: readonly PublishedCall[]): Promise<void> {
  const wanted = calls.flatMap(({ events }) => events).length;
  const givesUpAt = performance.now() + DRAIN_MS;
  while (performance.now() < givesUpAt) {
    if ((await recordedEvents(stage)) >= wanted && (await pendingEvents(stage)) === 0) return;
    await sleep(500);
  }
  console.log(
    `${await pendingEvents(stage)} events are pending, ${await recordedEvents(stage)} of ${wanted} recorded`,
  );
}

function formatCounts(counts: Iterable<[string, number]>): string {
  return [...counts].map(([what, count]) => `${what} ${count}`).join(', ');
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

await runBench(bench);
