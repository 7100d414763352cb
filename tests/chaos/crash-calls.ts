import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createRandom, runBench, summarize } from '@parley/testkit/load';
import type { Role } from '@parley/testkit/stage';
import { MOMENTS, type Moment, waitFor } from './crash-calls/moments.ts';
import { type Interrupted, watchOrphans } from './crash-calls/orphans.ts';
import { type Stage, setStage } from './crash-calls/stage.ts';
import { openTraffic } from './crash-calls/traffic.ts';
import { abandonedInbound, breaches, type CallRow, callsOf, unfinished } from './crash-calls/verdict.ts';

// Kills a call worker or the HTTP process with SIGKILL repeatedly, mostly just before or just after a dial is sent to the
// carrier, while calls of all kinds are placed. Then checks that no call was dialed twice, lost or left live, and that
// each call published each of its events exactly once. RUNS: number of kills (60); SEED: seed of the random choices;
// MAX_SECONDS: time limit (900). Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after itself.

const RUNS = Number(process.env.RUNS ?? 60);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
/** Seconds of stack time per real second. */
const RATE = 10;
/** The longest that a call may be without a worker. Stack time. */
const WITHOUT_WORKER_MS = 180_000;
/** On a machine that is too busy, the run stops early and counts as failed. Real time. */
const MAX_DURATION_MS = Number(process.env.MAX_SECONDS ?? 900) * 1000;
/** How long the last calls may take to end. Real time. */
const DRAIN_MS = 90_000;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const random = createRandom(SEED);
  const stage = await setStage(RATE, lifecycle);
  await stage.ready([stage.http, ...stage.workers]);
  const traffic = await openTraffic(stage, random);
  const orphans = watchOrphans(stage, lifecycle);
  console.log(`${RUNS} × kill -9, seed ${SEED}, clock rate ${RATE}`);

  const began = performance.now();
  const bursts: Promise<void>[] = [];
  const kills = new Map<Moment, number>();
  const roles: Record<Role, number> = { http: 0, worker: 0, dispatcher: 0, deliverer: 0 };
  const interrupted: Interrupted = { granted: 0, accepted: 0, ringing: 0, up: 0 };
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
    if (workerId) add(interrupted, await orphans.recordDeath(workerId));
    if (run % 20 === 0) console.log(`${run} kills in ${seconds(began)} s`);
  }
  const killing = seconds(began);
  await stage.ready([stage.http, ...stage.workers]);
  await Promise.all(bursts);
  await drained(stage);

  const calls = await callsOf(stage);
  const found = await breaches(stage, traffic.requested);
  const { count, p50, p99, max } = summarize(0, orphans.times());
  console.log(
    `killed ${roles.worker} workers and ${roles.http} HTTP processes in ${killing} s: ${formatCounts(kills)}`,
  );
  console.log(`calls of killed workers: ${formatCounts(Object.entries(interrupted))}`);
  const { single, campaign, inbound } = traffic.requested;
  console.log(
    `${calls.length} calls: ${single.length} single, ${campaign.length} from campaigns, ${inbound.length} inbound; every request was answered`,
  );
  const gaveUp = (await abandonedInbound(stage)).length;
  if (gaveUp > 0) console.log(`${gaveUp} callers gave up while no worker was running`);
  printOutcomes(calls);
  const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `${count} takeovers, after p50 ${inSeconds(p50)}  p99 ${inSeconds(p99)}  max ${inSeconds(max)} (${inSeconds(max * RATE)} of stack time)`,
  );
  console.log(`bar: ${RUNS} kills: ${run === RUNS ? 'met' : `MISSED, ${run}`}`);
  const isLate = orphans.left() > 0 || (count > 0 && max * RATE > WITHOUT_WORKER_MS);
  console.log(`bar: no call without a worker for 3 minutes of stack time: ${isLate ? 'MISSED' : 'met'}`);
  for (const [what, ids] of found) {
    console.log(
      `bar: no call ${what}: ${ids.length === 0 ? 'met' : `MISSED by ${ids.length}: ${ids.slice(0, 5)}`}`,
    );
  }
  return !isLate && run === RUNS && [...found.values()].every((ids) => ids.length === 0);
}

/** Waits until nothing is in progress, at most `DRAIN_MS`; the verdict reports what is left. */
async function drained(stage: Stage): Promise<void> {
  const givesUpAt = performance.now() + DRAIN_MS;
  for (;;) {
    const left = await unfinished(stage);
    if (Object.values(left).every((rows) => rows === 0)) break;
    if (performance.now() > givesUpAt) {
      console.log(`unfinished: ${formatCounts(Object.entries(left))}`);
      return;
    }
    await sleep(250);
  }
  // Messages that have left the outbox still have to be consumed.
  await sleep(500);
}

/** Prints how calls ended: outbound calls by the last four digits of their number, others by type. */
function printOutcomes(calls: readonly CallRow[]): void {
  const lines = new Map<string, Map<string, number>>();
  for (const { type, ending, reason, legs } of calls) {
    const line = type === 'outbound' ? ending : type;
    const reasons = lines.get(line) ?? new Map<string, number>();
    const what = `${reason ?? 'live'}${legs === 0 ? ' (never dialed)' : ''}`;
    lines.set(line, reasons.set(what, (reasons.get(what) ?? 0) + 1));
  }
  for (const line of [...lines.keys()].sort())
    console.log(`  ${line.padEnd(8)} ${formatCounts(lines.get(line) ?? [])}`);
}

function add(sum: Interrupted, more: Interrupted): void {
  for (const key of ['granted', 'accepted', 'ringing', 'up'] as const) sum[key] += more[key];
}

function formatCounts(counts: Iterable<[string, number]>): string {
  return [...counts].map(([what, count]) => `${what} ${count}`).join(', ');
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

await runBench(bench);
