import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench, toLine } from '@parley/testkit/load';
import { endlessBodies } from './webhooks/endless.ts';
import { measureLatency } from './webhooks/latency.ts';
import { runReceivers } from './webhooks/receivers.ts';
import { type Stage, setStage, startReceivers, type Usage } from './webhooks/stage.ts';
import { runLoad, type Served } from './webhooks/throughput.ts';

// The real service, compiled, delivers to 500 endpoints in another process and records every attempt. Measures: deliveries at a steady
// rate; the same while 20 endpoints, which own a fifth of the events, hang; the latency of first attempts; and the memory for 256
// receivers with endless responses. BENCH_SECONDS (20 for each load; the bar is meant for 180), BENCH_RATE (2000), BENCH_PARTS
// (load,latency,endless). BENCH_PROFILE=<folder> writes a CPU profile of the service. Requires Postgres and RabbitMQ; cleans up after
// itself.

const SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const RATE = Number(process.env.BENCH_RATE ?? 2_000);
const PARTS = (process.env.BENCH_PARTS ?? 'load,latency,endless').split(',');
const ENDPOINTS = 500;
const HANGING = 20;
const EVENTS_PER_SECOND = 200;
const BAR = { p50Ms: 50, p99Ms: 500, keptShare: 0.9, p99Times: 2, moreBytes: 100 * 1024 * 1024 };

const [role, count] = process.argv.slice(2);
if (role === 'receivers') await runReceivers(Number(count));
else await runBench(bench);

type Stand = { stage: Stage; usage: Usage; ports: readonly number[]; lifecycle: Lifecycle };
/** The bars of a part, and whether they are met. */
type Bars = Record<string, boolean>;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const stage = await setStage(lifecycle);
  const ports = await startReceivers(fileURLToPath(import.meta.url), ENDPOINTS, lifecycle);
  const stand = { stage, usage: await stage.startService(), ports, lifecycle };
  console.log(`load average ${loads()}`);
  const bars: Bars = {};
  if (PARTS.includes('load')) Object.assign(bars, await load(stand));
  if (PARTS.includes('latency')) Object.assign(bars, await firstAttempts(stand));
  if (PARTS.includes('endless')) Object.assign(bars, await endless(stand));
  for (const [bar, met] of Object.entries(bars)) console.log(`bar ${met ? 'met   ' : 'MISSED'} ${bar}`);
  console.log(`load average ${loads()}`);
  return Object.values(bars).every(Boolean);
}

async function load({ stage, usage, ports }: Stand): Promise<Bars> {
  const load = { ratePerSecond: RATE, seconds: SECONDS, ports, troubled: HANGING };
  console.log(`${RATE} events a second for ${SECONDS} s to ${ENDPOINTS} endpoints`);
  await runLoad(stage, usage, { ...load, seconds: Math.min(5, SECONDS), manner: 'answers' });
  const free = await runLoad(stage, usage, { ...load, manner: 'answers' });
  report('all answer', free);
  const faulty = await runLoad(stage, usage, { ...load, manner: 'hangs' });
  report(`${HANGING} hang, with a fifth`, faulty);
  const kept = faulty.healthy.ratePerSecond / free.healthy.ratePerSecond;
  const slower = faulty.healthy.p99 / free.healthy.p99;
  console.log(
    `the healthy ones keep ${(kept * 100).toFixed(0)} % of their throughput, at ${slower.toFixed(1)} times the p99`,
  );
  return {
    [`${RATE} deliveries a second`]: free.all.ratePerSecond >= RATE * 0.98,
    'others hang: 90 % of the throughput': kept >= BAR.keptShare,
    'others hang: twice the p99': slower <= BAR.p99Times,
  };
}

async function firstAttempts({ stage, ports, lifecycle }: Stand): Promise<Bars> {
  const latency = await measureLatency(stage, ports, EVENTS_PER_SECOND, SECONDS, lifecycle);
  console.log(
    `${toLine('event → first attempt', latency, 'events')}; ${latency.missing} were not attempted in time`,
  );
  const { missing, p50, p99 } = latency;
  return {
    'first attempt: p50 50 ms, p99 500 ms': missing === 0 && p50 <= BAR.p50Ms && p99 <= BAR.p99Ms,
  };
}

async function endless({ stage, usage, ports }: Stand): Promise<Bars> {
  const moreBytes = await endlessBodies(stage, usage, ports);
  console.log(`256 receivers with endless responses: +${(moreBytes / 1024 / 1024).toFixed(0)} MiB`);
  return { 'endless answers: 100 MB': moreBytes <= BAR.moreBytes };
}

function report(what: string, { all, healthy, cpuMsEach, postgresMsEach }: Served): void {
  console.log(toLine(what, all, 'deliveries'));
  console.log(toLine('  of the 480 healthy', healthy, 'deliveries'));
  console.log(
    `  processor time of each: ${cpuMsEach.toFixed(2)} ms of the service, ${postgresMsEach.toFixed(2)} ms of Postgres`,
  );
}

function loads(): string {
  return loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
}
