import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench } from '@parley/testkit/load';
import {
  cancel,
  createCampaign,
  type DialingStage,
  pause,
  resume,
  stageDialing,
} from '@parley/testkit/stage';

// A campaign with a hundred dials a second is paused and resumed repeatedly, in real time, with the real services
// [campaigns.7]. Measures how long after the response to a pause the last dial was sent; negative: before it. BENCH_CPS
// (100), BENCH_TIMES (10), BENCH_DISPATCHERS (1), BENCH_WORKERS (1). Requires Postgres (DATABASE_URL) and RabbitMQ
// (AMQP_URL); cleans up after itself.

const CPS = Number(process.env.BENCH_CPS ?? 100);
const TIMES = Number(process.env.BENCH_TIMES ?? 10);
const DISPATCHERS = Number(process.env.BENCH_DISPATCHERS ?? 1);
const WORKERS = Number(process.env.BENCH_WORKERS ?? 1);
/** Time of dialing before each pause, its last part in which the rate is measured, and time to wait for late dials. */
const DIALS_MS = 3_000;
const STEADY_MS = 1_500;
const QUIET_MS = 2_000;
const MIN_RATE = 0.97;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const stage = await stageDialing({ workers: WORKERS, dispatchers: DISPATCHERS }, lifecycle);
  const line = await stage.connectNumber(CPS);
  const id = await createCampaign(stage, line, (CPS * (TIMES + 1) * DIALS_MS * 2) / 1000);
  await dialAndPause(stage, id, line.phoneNumber);
  console.log(`${TIMES} pauses at ${CPS} dials a second …`);
  const found: Pause[] = [];
  for (let n = 0; n < TIMES; n += 1) found.push(await dialAndPause(stage, id, line.phoneNumber));
  await cancel(stage, id);
  const rates = found.map(({ perSecond }) => perSecond);
  const latestMs = Math.max(...found.map(({ lastDialMs }) => lastDialMs));
  console.log(
    `dials a second before a pause: ${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`,
  );
  console.log(
    `response to a pause: after at most ${Math.max(...found.map(({ answerMs }) => answerMs)).toFixed(0)} ms`,
  );
  console.log(`last dial: ${latestMs} ms after the response`);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const met = latestMs <= 0 && mean >= MIN_RATE * CPS;
  console.log(met ? 'bar met' : `bar missed: ${CPS} dials a second, and none after the response`);
  return met;
}

type Pause = { perSecond: number; answerMs: number; lastDialMs: number };

async function dialAndPause(stage: DialingStage, id: string, phoneNumber: string): Promise<Pause> {
  const resumedAt = new Date();
  await resume(stage, id);
  await sleep(DIALS_MS);
  const requestedMs = Date.now();
  await pause(stage, id);
  const answeredMs = Date.now();
  await sleep(QUIET_MS);
  const [row] = await stage.telephonySql.$queryRaw<
    { last: Date | null; steady: number }[]
  >`SELECT max(originated_at) AS last, count(*) FILTER (
       WHERE originated_at >= ${new Date(requestedMs - STEADY_MS).toISOString()}::timestamptz AND originated_at < ${new Date(requestedMs).toISOString()}::timestamptz)::int AS steady
     FROM simulated_legs WHERE from_number = ${phoneNumber} AND originated_at > ${resumedAt.toISOString()}::timestamptz`;
  return {
    perSecond: ((row?.steady ?? 0) * 1000) / STEADY_MS,
    answerMs: answeredMs - requestedMs,
    lastDialMs: (row?.last?.getTime() ?? answeredMs) - answeredMs,
  };
}

await runBench(bench);
