import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createCampaign, resume } from './dialling/campaign.ts';
import { measurePauses } from './dialling/pauses.ts';
import { ready, type Stage, setStage } from './dialling/stage.ts';
import { runBench } from './run-bench.ts';
import type { Victim } from './victim.ts';

// Six numbers, each with a campaign that has always somebody to dial, in real time: four dispatchers and three call
// workers, one process of them killed every ten seconds. Looks at the simulated carrier's legs: how close two dials of a
// number came, and how many of its slots were used; and, before, at a campaign that is paused again and again at a hundred
// dials a second. BENCH_SECONDS (120), BENCH_RATES (0.1,0.3,1,2.5,10,30), BENCH_PAUSES=0 (no pauses before), BENCH_KILL=0
// (nobody is killed). Wants Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL); leaves nothing behind.

const SECONDS = Number(process.env.BENCH_SECONDS ?? 120);
const KILLS = process.env.BENCH_KILL !== '0';
const PAUSES = process.env.BENCH_PAUSES !== '0';
const RATES = (process.env.BENCH_RATES ?? '0.1,0.3,1,2.5,10,30').split(',').map(Number);
const KILL_EVERY_MS = 10_000;
/** D7.8, as it is to be measured: this much closer than the interval is the measure's own. */
const TOLERANCE_MS = 5;
const LEAST_USED = 0.97;
/** D7.1, as it is to be measured: a dial may begin so much later than the pause was answered. */
const AFTER_PAUSE_MS = 100;

const NO_PAUSES = { perSecond: 0, latestMs: 0 };

type Measure = { maxCps: number; dials: number; slots: number; closestMs: number; tooClose: number };

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const stage = await setStage({ workers: 3, dispatchers: 4 }, lifecycle);
  const { perSecond, latestMs } = PAUSES ? await measurePauses(stage) : NO_PAUSES;
  if (PAUSES) {
    console.log(
      `paused at ${perSecond.toFixed(0)} dials a second: the last dial ${latestMs} ms after the answer`,
    );
  }
  const numbers = await Promise.all(
    RATES.map(async (maxCps) => ({ maxCps, line: await stage.connectNumber(maxCps) })),
  );
  await Promise.all(
    numbers.map(async ({ maxCps, line }) => {
      await resume(stage, await createCampaign(stage, line, Math.ceil(maxCps * (SECONDS + 60))));
    }),
  );
  console.log(`${RATES.length} numbers for ${SECONDS} s${KILLS ? ', kill -9 every 10 s' : ''} …`);
  const killed = await killNowAndThen(stage);
  const measures = await Promise.all(
    numbers.map(({ maxCps, line }) => measure(stage, line.phoneNumber, maxCps)),
  );
  const deaths = [...killed].map(([role, times]) => `${times} ${role}s`).join(', ');
  console.log(`killed: ${deaths || 'nobody'}`);
  console.log('max_cps   dials  of slots    used   closest     is at least   too close');
  for (const found of measures) console.log(toRow(found));
  const twice = await doubleDials(stage);
  console.log(`dialled twice: ${twice}`);
  const met =
    twice === 0 &&
    latestMs <= AFTER_PAUSE_MS &&
    measures.every(({ dials, slots, tooClose }) => tooClose === 0 && dials >= LEAST_USED * slots);
  console.log(
    met ? 'bar met' : `bar missed: nothing closer than the interval less ${TOLERANCE_MS} ms, 97 % used`,
  );
  return met;
}

/** A dispatcher and a worker by turns, for as long as it is measured. */
async function killNowAndThen({ dispatchers, workers }: Stage): Promise<Map<string, number>> {
  const killed = new Map<string, number>();
  const order = dispatchers.flatMap((dispatcher, i) => [dispatcher, workers[i % workers.length] as Victim]);
  const endsAt = performance.now() + SECONDS * 1000;
  for (let turn = 0; ; turn += 1) {
    await sleep(Math.min(KILL_EVERY_MS, endsAt - performance.now()));
    if (performance.now() >= endsAt - 1) return killed;
    if (!KILLS) continue;
    const victim = order[turn % order.length] as Victim;
    await ready([victim]);
    await victim.crash();
    killed.set(victim.role, (killed.get(victim.role) ?? 0) + 1);
  }
}

async function measure({ telephonySql }: Stage, phoneNumber: string, maxCps: number): Promise<Measure> {
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

async function doubleDials({ telephonySql }: Stage): Promise<number> {
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
