import type { Lifecycle } from '@parley/kit/lifecycle';
import { monotonicMs, realSleep } from '@parley/kit/time';
import { summarise, toLine } from './latencies.ts';
import { sendLoad } from './rolling/load.ts';
import { type Stage, setStage } from './rolling/stage.ts';
import { runBench } from './run-bench.ts';

// A new version rolled out under load: every replica of every service is replaced in turn, as a Deployment does, while
// requests keep coming and calls are up. Then looks whether a request failed, 503 with Retry-After included, and whether
// every call that was accepted ended and told its three events. RATE is requests a second (20), a tenth of them calls;
// ONLY names one service. Wants Postgres, Redis and RabbitMQ; needs the build; leaves nothing behind.

const RATE = Number(process.env.RATE ?? 20);
const REPLICAS = 2;
/** How long the last calls may take to end and to be told of. Real time. */
const DRAIN_MS = 120_000;
const BEFORE_AND_AFTER_MS = 3_000;
const EVENTS = ['call_started', 'call_ended', 'call_analyzed'].join();

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const stage = await setStage(REPLICAS, lifecycle);
  const stop = new AbortController();
  lifecycle.onStop('load', () => stop.abort());
  const sending = sendLoad(stage.target, RATE, stop.signal);
  console.log(`${RATE} requests a second, a tenth of them calls, ${REPLICAS} replicas of each service`);
  await realSleep(BEFORE_AND_AFTER_MS);
  for (const { name, roll } of stage.services) {
    if (process.env.ONLY && process.env.ONLY !== name) continue;
    const beganMs = monotonicMs();
    await roll();
    console.log(`  ${name.padEnd(12)} replaced in ${((monotonicMs() - beganMs) / 1_000).toFixed(1)} s`);
  }
  await realSleep(BEFORE_AND_AFTER_MS);
  stop.abort();
  const { sent, failures, latenciesMs, calls } = await sending;

  await untilTold(stage, calls);
  const told = stage.events();
  const rows = new Map((await stage.calls()).map((row) => [row.id, row]));
  const lost = calls.filter((id) => rows.get(id)?.status !== 'completed' || !rows.get(id)?.analysed);
  const cut = calls.filter((id) => rows.get(id)?.reason !== 'user_hangup');
  const untold = calls.filter((id) => new Set(told.get(id)).size !== 3);
  const twice = calls.filter((id) => !untold.includes(id) && told.get(id)?.join() !== EVENTS);

  console.log(toLine('requests', summarise(RATE, latenciesMs), 'answers'));
  for (const { at, request, was } of failures.slice(0, 20)) console.log(`  ${at} ${request}: ${was}`);
  const bars: [string, number][] = [
    [`of ${sent} requests none failed`, failures.length],
    [`of ${calls.length} calls none was lost`, lost.length],
    ['none was cut short', cut.length],
    ['each told its three events', untold.length],
    ['each once and in order', twice.length],
  ];
  for (const [what, missed] of bars) {
    console.log(`bar: ${what}: ${missed === 0 ? 'met' : `MISSED by ${missed}`}`);
  }
  for (const id of [...new Set([...lost, ...cut, ...untold, ...twice])].slice(0, 10)) {
    console.log(`  ${id} ${JSON.stringify(rows.get(id))} ${told.get(id)?.join() ?? 'told nothing'}`);
  }
  return calls.length > 0 && bars.every(([, missed]) => missed === 0);
}

async function untilTold(stage: Stage, calls: readonly string[]): Promise<void> {
  const givesUpAtMs = monotonicMs() + DRAIN_MS;
  for (;;) {
    const told = stage.events();
    if (calls.every((id) => new Set(told.get(id)).size === 3) || monotonicMs() > givesUpAtMs) return;
    await realSleep(500);
  }
}

await runBench(bench);
