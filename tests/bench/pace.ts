import { setTimeout as sleep } from 'node:timers/promises';
import { type Statement, sql } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createRandom, runBench } from '@parley/testkit/load';
import type { Victim } from '@parley/testkit/stage';
import {
  cancel,
  createCampaign,
  type DialingStage,
  resume,
  stageDialing,
  untilUp,
} from '@parley/testkit/stage';

// The dial pace of a number [campaigns.10] whose campaign always has contacts to dial, in real time, on four call workers. Every ten
// seconds one worker is killed, at a random moment: with regular kills, all or none of the slots of a slow number would coincide with
// a kill. Then the next number, with a higher pace. Measures at the simulated carrier the smallest distance between two dials of a
// number, the dials in any ten seconds, and the share of used slots. Finally, a number without kills: the distribution of its calls
// over the workers. BENCH_SECONDS (120) for each, BENCH_RATES (0.1,0.3,1,2.5,10,30), BENCH_KILL=0 (no kills), SEED (of the moments),
// BENCH_SPREAD_SECONDS (30; 0: not measured). Requires Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); cleans up after itself.

const SECONDS = Number(process.env.BENCH_SECONDS ?? 120);
const SPREAD_SECONDS = Number(process.env.BENCH_SPREAD_SECONDS ?? 30);
const KILLS = process.env.BENCH_KILL !== '0';
const RATES = (process.env.BENCH_RATES ?? '0.1,0.3,1,2.5,10,30').split(',').map(Number);
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const random = createRandom(SEED);
const WORKERS = 4;
const KILL_EVERY_MS = 10_000;
const TOLERANCE_MS = 250;
const WINDOW_MS = 10_000;
const MIN_USED = 0.97;
const SPREAD_CPS = 30;
const SPREAD = { min: 0.15, max: 0.35 };

type Measure = {
  maxCps: number;
  dials: number;
  slots: number;
  closestMs: number;
  inWindow: number;
};

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const stage = await stageDialing({ workers: WORKERS, dispatchers: 1 }, lifecycle);
  console.log(
    `${RATES.length} numbers, one after the other, ${SECONDS} s${KILLS ? `, kill -9 of a worker in every 10 s (SEED=${SEED})` : ''} …`,
  );
  console.log('max_cps   dials  of slots    used    closest   at least   in 10 s   at most');
  let met = true;
  for (const maxCps of RATES) {
    const found = await dialAt(stage, maxCps, SECONDS, KILLS);
    console.log(toRow(found));
    met &&= isMet(found);
  }
  if (SPREAD_SECONDS > 0) met = (await spread(stage)) && met;
  const twice = await count(
    stage,
    sql`SELECT count(*) FROM (SELECT 1 FROM simulated_legs GROUP BY reference HAVING count(*) > 1) AS twice`,
  );
  const undialed = await count(
    stage,
    sql`SELECT count(*) FROM calls WHERE status = 'completed'
      AND NOT EXISTS (SELECT 1 FROM simulated_legs WHERE reference = calls.id)`,
  );
  // Retention deletes no calls here.
  const undone = await count(
    stage,
    sql`SELECT n_tup_del AS count FROM pg_stat_user_tables WHERE relname = 'calls'`,
  );
  console.log(
    `dialed twice: ${twice}; calls without a dial: ${undialed}; dials that missed their slot: ${undone}`,
  );
  met &&= twice === 0 && undialed === 0;
  console.log(
    met
      ? 'bar met'
      : 'bar missed: no gap below 1/max_cps less 250 ms, at most 10 × max_cps + 1 dials in 10 s, 97 % of the slots used',
  );
  return met;
}

/** A campaign with its own number. */
async function dialAt(
  stage: DialingStage,
  maxCps: number,
  seconds: number,
  kills: boolean,
): Promise<Measure> {
  const line = await stage.connectNumber(maxCps);
  const id = await createCampaign(stage, line, Math.ceil(maxCps * (seconds + 60)));
  await untilUp(stage.workers);
  await resume(stage, id);
  const endsAt = performance.now() + seconds * 1000;
  for (let turn = 0; kills && performance.now() < endsAt; turn += 1) {
    const victim = stage.workers[turn % WORKERS] as Victim;
    const killAt = endsAt - seconds * 1000 + (turn + random.upTo(1)) * KILL_EVERY_MS;
    await sleep(Math.max(0, Math.min(killAt, endsAt) - performance.now()));
    if (killAt >= endsAt) break;
    await untilUp([victim]);
    await victim.crash();
  }
  await sleep(Math.max(0, endsAt - performance.now()));
  await cancel(stage, id);
  return measure(stage, line.phoneNumber, maxCps, seconds);
}

async function measure(
  { telephonySql }: DialingStage,
  phoneNumber: string,
  maxCps: number,
  seconds: number,
): Promise<Measure> {
  const rows = await telephonySql.$queryRaw<{ at: Date }[]>`SELECT originated_at AS at FROM simulated_legs
     WHERE from_number = ${phoneNumber} AND originated_at < (SELECT min(originated_at) FROM simulated_legs WHERE from_number = ${phoneNumber})
       + ${seconds}::int * interval '1 second'
     ORDER BY originated_at`;
  const times = rows.map(({ at }) => at.getTime());
  const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
  let inWindow = 0;
  let first = 0;
  for (const [i, at] of times.entries()) {
    while (at - (times[first] ?? 0) >= WINDOW_MS) first += 1;
    inWindow = Math.max(inWindow, i - first + 1);
  }
  // One slot at the first dial, and one per interval after it.
  return {
    maxCps,
    dials: rows.length,
    slots: Math.ceil(seconds * maxCps),
    closestMs: Math.min(...gaps),
    inWindow,
  };
}

const minGapMs = (maxCps: number): number => Math.max(0, 1000 / maxCps - TOLERANCE_MS);
const maxInWindow = (maxCps: number): number => (maxCps * WINDOW_MS) / 1000 + 1;

function isMet({ maxCps, dials, slots, closestMs, inWindow }: Measure): boolean {
  return closestMs >= minGapMs(maxCps) && inWindow <= maxInWindow(maxCps) && dials >= MIN_USED * slots;
}

/** The distribution of one number's calls over workers of equal capacity. */
async function spread(stage: DialingStage): Promise<boolean> {
  await untilUp(stage.workers);
  const since = new Date();
  const found = await dialAt(stage, SPREAD_CPS, SPREAD_SECONDS, false);
  console.log(`${toRow(found)}   without kills`);
  const rows = await stage.telephonySql.$queryRaw<
    { calls: number }[]
  >`SELECT count(*)::int AS calls FROM calls WHERE created_at > ${since.toISOString()}::timestamptz GROUP BY worker_id ORDER BY calls`;
  const sum = rows.reduce((all, { calls }) => all + calls, 0);
  const shares = rows.map(({ calls }) => calls / sum);
  console.log(
    `calls of a number at ${SPREAD_CPS} a second over workers: ${shares.map((share) => `${(100 * share).toFixed(0)} %`).join(', ')}`,
  );
  return shares.length === WORKERS && shares.every((share) => share >= SPREAD.min && share <= SPREAD.max);
}

async function count({ telephonySql }: DialingStage, query: Statement): Promise<number> {
  const [row] = await telephonySql.$queryRaw<{ count: bigint }[]>(query);
  return Number(row?.count);
}

function toRow({ maxCps, dials, slots, closestMs, inWindow }: Measure): string {
  const cells: [string | number, number][] = [
    [maxCps, 7],
    [dials, 8],
    [slots, 10],
    [`${((100 * dials) / slots).toFixed(1)} %`, 8],
    [`${closestMs} ms`, 11],
    [`${minGapMs(maxCps).toFixed(0)} ms`, 11],
    [inWindow, 10],
    [maxInWindow(maxCps).toFixed(0), 10],
  ];
  return cells.map(([text, width]) => String(text).padStart(width)).join('');
}

await runBench(bench);
