import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createRandom, runBench, summarise } from '@parley/testkit/load';
import type { Role } from '@parley/testkit/stage';
import { MOMENTS, type Moment, waitFor } from './crash-calls/moments.ts';
import { type Held, watchOrphans } from './crash-calls/orphans.ts';
import { type Stage, setStage } from './crash-calls/stage.ts';
import { openTraffic } from './crash-calls/traffic.ts';
import { breaches, type CallRow, callersWhoGaveUp, callsOf, unfinished } from './crash-calls/verdict.ts';

// Kills a call worker or the HTTP process with SIGKILL again and again, mostly as a dial is about to leave or has just
// left, while calls of all sorts are placed; then looks whether one was dialled twice, lost or left live, and whether each
// has told everything once. RUNS is how often (60), SEED what is drawn from, MAX_SECONDS how long at most (900). Wants Postgres (DATABASE_URL) and RabbitMQ
// (AMQP_URL); leaves nothing behind.

const RUNS = Number(process.env.RUNS ?? 60);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
/** Stack seconds in a real one. */
const RATE = 10;
/** Longer than this no call may be without a worker, in stack milliseconds. */
const WITHOUT_WORKER_MS = 180_000;
/** On a machine that is too busy for it a run is cut short, and has failed, whatever it has found. Real time. */
const MAX_DURATION_MS = Number(process.env.MAX_SECONDS ?? 900) * 1000;
/** How long the last calls may take to end. Real time. */
const DRAIN_MS = 90_000;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const random = createRandom(SEED);
  const stage = await setStage(RATE, lifecycle);
  await stage.ready([stage.http, ...stage.workers]);
  const traffic = await openTraffic(stage, random);
  const orphans = watchOrphans(stage, lifecycle);
  console.log(`${RUNS} times kill -9, seed ${SEED}, ${RATE} stack seconds in a second`);

  const began = performance.now();
  const bursts: Promise<void>[] = [];
  const kills = new Map<Moment, number>();
  const roles: Record<Role, number> = { http: 0, worker: 0, dispatcher: 0, deliverer: 0 };
  const held: Held = { granted: 0, accepted: 0, ringing: 0, up: 0 };
  let run = 0;
  while (run < RUNS && performance.now() - began < MAX_DURATION_MS) {
    run += 1;
    const burst = traffic.burst();
    burst.catch(() => {});
    bursts.push(burst);
    const moment = random.pick(MOMENTS);
    const victim = await waitFor(moment, stage, random);
    const workerId = victim.workerId();
    await victim.crash();
    kills.set(moment, (kills.get(moment) ?? 0) + 1);
    roles[victim.role] += 1;
    if (workerId) add(held, await orphans.bury(workerId));
    if (run % 20 === 0) console.log(`${run} in ${seconds(began)} s`);
  }
  const killing = seconds(began);
  await stage.ready([stage.http, ...stage.workers]);
  await Promise.all(bursts);
  await drained(stage);

  const calls = await callsOf(stage);
  const found = await breaches(stage, traffic.asked);
  const { count, p50, p99, max } = summarise(0, orphans.times());
  console.log(
    `killed ${roles.worker} workers and ${roles.http} HTTP processes in ${killing} s: ${told(kills)}`,
  );
  console.log(`calls of killed workers: ${told(Object.entries(held))}`);
  const { single, campaign, inbound } = traffic.asked;
  console.log(
    `${calls.length} calls: ${single.length} single, ${campaign.length} of campaigns, ${inbound.length} inbound; every request was answered`,
  );
  const gaveUp = (await callersWhoGaveUp(stage)).length;
  if (gaveUp > 0) console.log(`${gaveUp} callers gave up before there was a worker`);
  printEndings(calls);
  const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `taken over ${count} times, after p50 ${inSeconds(p50)}  p99 ${inSeconds(p99)}  max ${inSeconds(max)} (the longest is ${inSeconds(max * RATE)} of the stack)`,
  );
  console.log(`bar: ${RUNS} times: ${run === RUNS ? 'met' : `MISSED, ${run}`}`);
  const isLate = orphans.left() > 0 || (count > 0 && max * RATE > WITHOUT_WORKER_MS);
  console.log(`bar: no call is without a worker for 3 stack minutes: ${isLate ? 'MISSED' : 'met'}`);
  for (const [what, ids] of found) {
    console.log(
      `bar: none is ${what}: ${ids.length === 0 ? 'met' : `MISSED by ${ids.length}: ${ids.slice(0, 5)}`}`,
    );
  }
  return !isLate && run === RUNS && [...found.values()].every((ids) => ids.length === 0);
}

/** Waits until nothing is under way, or for as long as that may take: what is left is told by the verdict. */
async function drained(stage: Stage): Promise<void> {
  const givesUpAt = performance.now() + DRAIN_MS;
  for (;;) {
    const left = await unfinished(stage);
    if (Object.values(left).every((rows) => rows === 0)) break;
    if (performance.now() > givesUpAt) {
      console.log(`unfinished: ${told(Object.entries(left))}`);
      return;
    }
    await sleep(250);
  }
  // What the outbox has handed over is heard a little later.
  await sleep(500);
}

/** Outbound calls by the last four digits of their number, and how they ended. */
function printEndings(calls: readonly CallRow[]): void {
  const lines = new Map<string, Map<string, number>>();
  for (const { type, ending, reason, legs } of calls) {
    const line = type === 'outbound' ? ending : type;
    const reasons = lines.get(line) ?? new Map<string, number>();
    const what = `${reason ?? 'live'}${legs === 0 ? ' (never left)' : ''}`;
    lines.set(line, reasons.set(what, (reasons.get(what) ?? 0) + 1));
  }
  for (const line of [...lines.keys()].sort())
    console.log(`  ${line.padEnd(8)} ${told(lines.get(line) ?? [])}`);
}

function add(sum: Held, more: Held): void {
  for (const key of ['granted', 'accepted', 'ringing', 'up'] as const) sum[key] += more[key];
}

function told(counts: Iterable<[string, number]>): string {
  return [...counts].map(([what, count]) => `${what} ${count}`).join(', ');
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

await runBench(bench);
