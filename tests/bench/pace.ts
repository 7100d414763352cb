import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench } from '@parley/testkit/load';
import type { Victim } from '@parley/testkit/stage';
import {
  cancel,
  createCampaign,
  type DiallingStage,
  resume,
  stageDialling,
  untilUp,
} from '@parley/testkit/stage';

// A number with a campaign that has always somebody to dial, in real time, on four dispatchers and three call workers, one
// dispatcher of them killed every ten seconds; then the next number, which dials faster. Looks at the simulated carrier's
// legs: how close two dials of a number came, and how many of its slots were used. BENCH_TOGETHER=1 is harder: all numbers
// at once, and dispatchers and workers die by turns. BENCH_SECONDS (120) of each, BENCH_RATES (0.1,0.3,1,2.5,10,30),
// BENCH_KILL=0 (nobody is killed). Wants Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); leaves nothing behind.

const SECONDS = Number(process.env.BENCH_SECONDS ?? 120);
const KILLS = process.env.BENCH_KILL !== '0';
const TOGETHER = process.env.BENCH_TOGETHER === '1';
const RATES = (process.env.BENCH_RATES ?? '0.1,0.3,1,2.5,10,30').split(',').map(Number);
const KILL_EVERY_MS = 10_000;
/** Tolerance of the measurement of [campaigns.10]. */
const TOLERANCE_MS = 5;
const MIN_USED = 0.97;

type Measure = { maxCps: number; dials: number; slots: number; closestMs: number; tooClose: number };

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const stage = await stageDialling({ workers: 3, dispatchers: 4 }, lifecycle);
  const killed = new Map<string, number>();
  console.log(
    `${RATES.length} numbers, ${TOGETHER ? 'at once' : 'one after the other'}, ${SECONDS} s${KILLS ? ', kill -9 every 10 s' : ''} …`,
  );
  console.log('max_cps   dials  of slots    used   closest     is at least   too close');
  let met = true;
  for (const rates of TOGETHER ? [RATES] : RATES.map((rate) => [rate])) {
    for (const found of await dialAt(rates, stage, killed)) {
      console.log(toRow(found));
      met &&= found.tooClose === 0 && found.dials >= MIN_USED * found.slots;
    }
  }
  const deaths = [...killed].map(([role, times]) => `${times} ${role}s`).join(', ');
  console.log(`killed: ${deaths || 'nobody'}`);
  const twice = await doubleDials(stage);
  console.log(`dialled twice: ${twice}`);
  met &&= twice === 0;
  console.log(
    met ? 'bar met' : `bar missed: nothing closer than the interval less ${TOLERANCE_MS} ms, 97 % used`,
  );
  return met;
}

/** A number for each rate, all at once. */
async function dialAt(
  rates: readonly number[],
  stage: DiallingStage,
  killed: Map<string, number>,
): Promise<Measure[]> {
  const campaigns = await Promise.all(
    rates.map(async (maxCps) => {
      const line = await stage.connectNumber(maxCps);
      const id = await createCampaign(stage, line, Math.ceil(maxCps * (SECONDS + 60)));
      return { id, maxCps, line };
    }),
  );
  await Promise.all(campaigns.map(({ id }) => resume(stage, id)));
  await killNowAndThen(stage, killed);
  await Promise.all(campaigns.map(({ id }) => cancel(stage, id)));
  return Promise.all(campaigns.map(({ maxCps, line }) => measure(stage, line.phoneNumber, maxCps)));
}

/** One every ten seconds, for as long as it is measured. */
async function killNowAndThen(
  { dispatchers, workers }: DiallingStage,
  killed: Map<string, number>,
): Promise<void> {
  const order = TOGETHER
    ? dispatchers.flatMap((dispatcher, i) => [dispatcher, workers[i % workers.length] as Victim])
    : dispatchers;
  const endsAt = performance.now() + SECONDS * 1000;
  for (let turn = 0; ; turn += 1) {
    await sleep(Math.min(KILL_EVERY_MS, endsAt - performance.now()));
    if (performance.now() >= endsAt - 1) return;
    if (!KILLS) continue;
    const victim = order[turn % order.length] as Victim;
    await untilUp([victim]);
    await victim.crash();
    killed.set(victim.role, (killed.get(victim.role) ?? 0) + 1);
  }
}

async function measure(
  { telephonySql }: DiallingStage,
  phoneNumber: string,
  maxCps: number,
): Promise<Measure> {
  const rows = await telephonySql.$queryRawUnsafe<{ at: Date }[]>(
    `SELECT originated_at AS at FROM simulated_legs
     WHERE from_number = $1 AND originated_at < (SELECT min(originated_at) FROM simulated_legs WHERE from_number = $1)
       + $2::int * interval '1 second'
     ORDER BY originated_at`,
    phoneNumber,
    SECONDS,
  );
  const gaps = rows.slice(1).map(({ at }, i) => at.getTime() - (rows[i]?.at.getTime() ?? 0));
  const least = 1000 / maxCps - TOLERANCE_MS;
  return {
    maxCps,
    dials: rows.length,
    // A slot at the first dial, and one after each interval.
    slots: Math.ceil(SECONDS * maxCps),
    closestMs: Math.min(...gaps),
    tooClose: gaps.filter((gap) => gap < least).length,
  };
}

async function doubleDials({ telephonySql }: DiallingStage): Promise<number> {
  const rows = await telephonySql.$queryRawUnsafe<{ reference: string }[]>(
    'SELECT reference::text FROM simulated_legs GROUP BY reference HAVING count(*) > 1',
  );
  return rows.length;
}

function toRow({ maxCps, dials, slots, closestMs, tooClose }: Measure): string {
  const used = `${((100 * dials) / slots).toFixed(1)} %`;
  const least = `${(1000 / maxCps - TOLERANCE_MS).toFixed(1)} ms`;
  return `${String(maxCps).padStart(7)} ${String(dials).padStart(7)} ${String(slots).padStart(9)} ${used.padStart(8)} ${`${closestMs} ms`.padStart(10)} ${least.padStart(14)} ${String(tooClose).padStart(11)}`;
}

await runBench(bench);
