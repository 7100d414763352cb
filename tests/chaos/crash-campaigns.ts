import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createRandom, type Random, runBench } from '@parley/testkit/load';
import type { Victim } from '@parley/testkit/stage';
import { createCampaign, type DialingStage, type Line, resume, stageDialing } from '@parley/testkit/stage';
import { type NamedPoint, POINTS } from './crash-campaigns/points.ts';
import { judge, unfinished } from './crash-campaigns/verdict.ts';

// Dispatchers and call workers kill themselves at named points of a dial, repeatedly, while campaigns with retries run and
// their contacts have every outcome of the simulated carrier [running.2]. Then checks that no attempt was dialed twice, no
// contact is stuck, and every campaign completed with correct counters. RUNS: number of kills (100); SEED: seed of the
// random choices; MAX_SECONDS: time limit (1800). Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up
// after itself.

const RUNS = Number(process.env.RUNS ?? 100);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const MAX_DURATION_MS = Number(process.env.MAX_SECONDS ?? 1800) * 1000;
/** Seconds of stack time per real second. */
const RATE = 10;
const CRASH_AT = fileURLToPath(new URL('./crash-campaigns/crash-at.mjs', import.meta.url));
const MAX_RETRIES = 2;
/** Some campaigns are small, so that campaigns complete throughout the run. */
const MAX_CONTACTS = 12;
const RUNNING_AT_ONCE = 10;
const ENDINGS = ['0001', '0002', '0003', '0004', '0005', '0008', '0009', '0011', '0012', '4242'];
/** A point that is not reached within this time is tried again later. */
const TIMEOUT_MS = 15_000;
const DRAIN_MS = 240_000;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const random = createRandom(SEED);
  const stage = await stageDialing(
    { rate: RATE, workers: 2, dispatchers: 2, preloads: [CRASH_AT] },
    lifecycle,
  );
  console.log(`${RUNS} crashes at ${POINTS.length} points, seed ${SEED}, clock rate ${RATE} …`);
  const lines = await Promise.all([4, 4, 10].map((maxCps) => stage.connectNumber(maxCps)));
  const kills = new Map<string, number>(POINTS.map(({ name }) => [name, 0]));
  const began = performance.now();
  let left = RUNS;
  const isOver = (): boolean => left <= 0 || performance.now() - began > MAX_DURATION_MS;

  const kill = async (service: NamedPoint['in'], victims: readonly Victim[]): Promise<void> => {
    // A point that was not reached is retried after all others.
    const turns = POINTS.filter((point) => point.in === service).map((point) => ({ point, tried: 0 }));
    while (!isOver()) {
      const turn = turns.sort((a, b) => a.tried - b.tried)[0] as { point: NamedPoint; tried: number };
      const { point } = turn;
      const up = victims.filter((victim) => victim.port());
      const victim = up[Math.floor(random.upTo(up.length))];
      if (!victim) {
        await sleep(100);
        continue;
      }
      turn.tried += 1;
      if (!(await victim.dieAt(point, TIMEOUT_MS))) continue;
      kills.set(point.name, (kills.get(point.name) ?? 0) + 1);
      left -= 1;
      if (left % 20 === 0) console.log(`${RUNS - left} kills in ${seconds(began)} s`);
    }
  };
  const working = keepBusy(stage, { lines, random, isOver });
  await Promise.all([kill('campaigns', stage.dispatchers), kill('telephony', stage.workers), working]);
  const killing = seconds(began);
  await drained(stage);

  const { contacts, attempts, breaches } = await judge(stage, MAX_RETRIES);
  console.log(`killed ${RUNS - Math.max(0, left)} times in ${killing} s:`);
  for (const [name, times] of kills) console.log(`  ${String(times).padStart(4)}  ${name}`);
  console.log(`${await working} campaigns, ${contacts} contacts, ${attempts} attempts`);
  const missed = [...kills].flatMap(([name, times]) => (times === 0 ? [name] : []));
  console.log(`bar: a kill at each point: ${missed.length === 0 ? 'met' : `MISSED: ${missed.join('; ')}`}`);
  console.log(`bar: ${RUNS} kills: ${left <= 0 ? 'met' : `MISSED, ${RUNS - left}`}`);
  for (const [what, ids] of breaches) {
    const found = ids.length === 0 ? 'met' : `MISSED by ${ids.length}: ${ids.slice(0, 5)}`;
    console.log(`bar: no ${what}: ${found}`);
  }
  return left <= 0 && missed.length === 0 && [...breaches.values()].every((ids) => ids.length === 0);
}

type Work = { lines: readonly Line[]; random: Random; isOver: () => boolean };

/** Keeps `RUNNING_AT_ONCE` campaigns running until the run is over; returns how many were started. */
async function keepBusy(stage: DialingStage, { lines, random, isOver }: Work): Promise<number> {
  let started = 0;
  while (!isOver()) {
    const [row] = await stage.campaignsSql.$queryRaw<
      { count: number }[]
    >`SELECT count(*)::int AS count FROM campaigns WHERE status = 'running'`;
    if ((row?.count ?? 0) >= RUNNING_AT_ONCE) {
      await sleep(250);
      continue;
    }
    const line = lines[Math.floor(random.upTo(lines.length))] as Line;
    await resume(
      stage,
      await createCampaign(stage, line, 1 + Math.floor(random.upTo(MAX_CONTACTS)), {
        endings: ENDINGS,
        max_retries: MAX_RETRIES,
        retry_intervals: [1],
      }),
    );
    started += 1;
  }
  return started;
}

/** Waits until nothing is in progress, at most `DRAIN_MS`; the verdict reports what is left. */
async function drained(stage: DialingStage): Promise<void> {
  const givesUpAt = performance.now() + DRAIN_MS;
  for (;;) {
    const left = await unfinished(stage);
    if (left === null) return;
    if (performance.now() > givesUpAt) {
      console.log(`unfinished: ${left}`);
      return;
    }
    await sleep(500);
  }
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(0);
}

await runBench(bench);
