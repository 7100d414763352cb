import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createRandom, type Random, runBench } from '@parley/testkit/load';
import { countInFlight, type InFlight } from './crash-webhooks/in-flight.ts';
import { MOMENTS, type Moment, TRAPS } from './crash-webhooks/moments.ts';
import { type Stage, setStage } from './crash-webhooks/stage.ts';
import { type PublishedCall, startTraffic } from './crash-webhooks/traffic.ts';
import { judge, pendingEvents, recordedEvents } from './crash-webhooks/verdict.ts';

// Kills one of three webhooks processes with SIGKILL again and again, at points of a delivery that its own peers see: it has
// claimed an event (it asks for the secrets), sent it, been answered, is about to record it, or to release the next one; and
// Postgres and RabbitMQ in between, which are this run's own. Then looks whether an event was lost, sent more often than
// what was in flight, or out of its order. RUNS is how often (200), SEED what is drawn from, CALLS_PER_SECOND (6),
// MAX_SECONDS how long at most (1,800). Leaves nothing behind.

const RUNS = Number(process.env.RUNS ?? 200);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const CALLS_PER_SECOND = Number(process.env.CALLS_PER_SECOND ?? 6);
/** On a machine that is too busy for it a run is cut short, and has failed, whatever it has found. Real time. */
const MAX_DURATION_MS = Number(process.env.MAX_SECONDS ?? 1_800) * 1000;
/** Stack seconds in a real one: the hold lasts 3 minutes, a lease of 30 s is 5 of its 30. */
const RATE = 10;
/** A server is killed after so many processes, in turns. */
const SERVER_EVERY = 15;
/** How long the last events may take: what is left after it is lost. Real time. */
const DRAIN_MS = Number(process.env.DRAIN_SECONDS ?? 240) * 1000;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const random = createRandom(SEED);
  const stage = await setStage(RATE, random, lifecycle);
  await stage.ready();
  const traffic = startTraffic(stage, random, CALLS_PER_SECOND, lifecycle);
  const inFlight = countInFlight(stage);
  console.log(`${RUNS} times kill -9, seed ${SEED}, ${CALLS_PER_SECOND} calls a second`);

  const began = performance.now();
  const kills = new Map<Moment, number>();
  const servers = { Postgres: 0, RabbitMQ: 0 };
  let run = 0;
  while (run < RUNS && performance.now() - began < MAX_DURATION_MS) {
    // One that has just been started would die without having done anything, mostly.
    await stage.ready(2);
    const moment = random.pick(MOMENTS);
    const victim = await TRAPS[moment](stage, random);
    if (victim === undefined) continue;
    await inFlight.bury(victim);
    run += 1;
    kills.set(moment, (kills.get(moment) ?? 0) + 1);
    if (run % SERVER_EVERY === 0) await killServer(stage, servers, inFlight, random);
    if (run % 20 === 0) console.log(`${run} in ${seconds(began)} s`);
  }
  const killing = seconds(began);
  await traffic.stop();
  await stage.ready();
  await drained(stage, traffic.calls);

  const { breaches, duplicates, afterHold } = await judge(stage, traffic.calls, inFlight);
  const { arrivals, badlySigned } = stage.receiver;
  console.log(`killed in ${killing} s: ${told(kills)}; servers: ${told(Object.entries(servers))}`);
  console.log(
    `${traffic.calls.length} calls, ${traffic.calls.flatMap(({ events }) => events).length} events, ${arrivals.length} requests; ${inFlight.total()} in flight at kills, ${duplicates} of them made again; ${afterHold} calls went on after their hold`,
  );
  console.log(`bar: ${RUNS} times: ${run === RUNS ? 'met' : `MISSED, ${run}`}`);
  const found = [...breaches, ['badly signed', Array<string>(badlySigned()).fill('a request')] as const];
  for (const [what, ids] of found) {
    console.log(
      `bar: none is ${what}: ${ids.length === 0 ? 'met' : `MISSED by ${ids.length}: ${ids.slice(0, 5)}`}`,
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
    // Whoever had an event could not record it.
    await inFlight.bury();
    servers.Postgres += 1;
  } else {
    await broker.kill();
    servers.RabbitMQ += 1;
  }
}

/** Waits until every event is there and finished, or for as long as that may take: the verdict tells what is left. */
async function drained(stage: Stage, calls: readonly PublishedCall[]): Promise<void> {
  const wanted = calls.flatMap(({ events }) => events).length;
  const givesUpAt = performance.now() + DRAIN_MS;
  while (performance.now() < givesUpAt) {
    if ((await recordedEvents(stage)) >= wanted && (await pendingEvents(stage)) === 0) return;
    await sleep(500);
  }
  console.log(
    `${await pendingEvents(stage)} events are pending, ${await recordedEvents(stage)} of ${wanted} there`,
  );
}

function told(counts: Iterable<[string, number]>): string {
  return [...counts].map(([what, count]) => `${what} ${count}`).join(', ');
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

await runBench(bench);
