import { setMaxListeners } from 'node:events';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { monotonicMs, realSleep } from '@parley/kit/time';
import { runBench, summarise, toLine } from '@parley/testkit/load';
import { type Load, sendLoad } from './rolling/load.ts';
import { report } from './rolling/report.ts';
import { type Stage, setStage } from './rolling/stage.ts';
import { judge, type Seen, type Verdict } from './rolling/verdict.ts';

// A new version rolled out under load: every replica of every part is replaced in turn, as a Deployment does, while
// requests keep coming, contact lists arrive slowly, a campaign dials, calls come in, people talk on the web. Then looks
// whether a request failed (a 503 with Retry-After has failed too), and whether every call ended as its human wanted and
// told its three events, once and in order.
// Beside it, in the same run: the same load with nothing replaced, and gateway and telephony replaced without a time to drain.
// RATE is requests a second (20), three of twenty of them calls; ONLY names one part; TOGETHER replaces all parts at once, as
// `kubectl apply` does; STOP_DRAIN_MS=0 shows it fail. Wants Postgres, Redis and RabbitMQ; needs the build; leaves nothing.

const RATE = Number(process.env.RATE ?? 20);
const REPLICAS = 2;
const STEADY_MS = 10_000;
const AFTER_MS = 3_000;
/** How long the last calls may take to end and to be told of. Real time. */
const LAST_MS = 120_000;
const UNDRAINED = ['gateway', 'telephony'];

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  // Each replica has a watcher that waits by it.
  setMaxListeners(0, lifecycle.signal);
  const stage = await setStage(REPLICAS, lifecycle);
  console.log(`${RATE} requests a second, a campaign that dials, ${REPLICAS} replicas of each part`);
  const steady = await underLoad(stage, lifecycle, () => realSleep(STEADY_MS, lifecycle.signal));
  const rolled = await underLoad(stage, lifecycle, () => rollAll(stage, lifecycle.signal));
  await stage.campaign.pause();
  const seen = await whenAllIsTold(stage, [steady, rolled]);
  const verdict = judge(seen);
  const campaign = await stage.campaign.read();
  const undrained = await withoutDraining(stage, lifecycle);

  console.log(toLine('while nothing is replaced', summarise(RATE, steady.latenciesMs), 'answers'));
  console.log(toLine('while all are replaced', summarise(RATE, rolled.latenciesMs), 'answers'));
  const failedOf = ({ failures, sent }: Load): string => `${failures.length} of ${sent} requests failed`;
  console.log(`for comparison, ${UNDRAINED.join(' and ')} without a time to drain: ${failedOf(undrained)}`);
  return report({ steady, rolled, seen, verdict, campaign });
}

/** What came of the load while something was done. */
async function underLoad(stage: Stage, lifecycle: Lifecycle, work: () => Promise<unknown>): Promise<Load> {
  const enough = new AbortController();
  const sending = sendLoad(stage.target, RATE, AbortSignal.any([enough.signal, lifecycle.signal]));
  try {
    await work();
  } finally {
    enough.abort();
  }
  return sending;
}

async function rollAll({ deployments }: Stage, signal: AbortSignal): Promise<void> {
  const chosen = deployments.filter(({ name }) => (process.env.ONLY ?? name) === name);
  const roll = async ({ name, roll: replace }: (typeof chosen)[number]): Promise<void> => {
    const beganMs = monotonicMs();
    await replace();
    console.log(`  ${name.padEnd(16)} replaced in ${((monotonicMs() - beganMs) / 1_000).toFixed(1)} s`);
  };
  if (process.env.TOGETHER) await Promise.all(chosen.map(roll));
  else for (const deployment of chosen) await roll(deployment);
  await realSleep(AFTER_MS, signal);
}

/** What is known when every call that was accepted has told all that it has to tell, or time is up. */
async function whenAllIsTold(stage: Stage, loads: readonly Load[]): Promise<Seen> {
  const accepted = loads.flatMap(({ placed, received, joined }) => [...placed, ...received, ...joined]);
  const givesUpAtMs = monotonicMs() + LAST_MS;
  for (;;) {
    const calls = await stage.calls();
    const campaigns = calls.filter(({ campaign }) => campaign !== null).map(({ id }) => id);
    const seen = { expected: [...accepted, ...campaigns], calls, events: stage.events() };
    const { lost, missing }: Verdict = judge(seen);
    if ((lost.length === 0 && missing === 0) || monotonicMs() > givesUpAtMs) return seen;
    await realSleep(500);
  }
}

/** The other way of doing it: the door is closed at once, and who routes requests learns of it afterwards. */
async function withoutDraining(stage: Stage, lifecycle: Lifecycle): Promise<Load> {
  const chosen = stage.deployments.filter(({ name }) => UNDRAINED.includes(name));
  await Promise.all(chosen.map(({ roll }) => roll({ STOP_DRAIN_MS: '0' })));
  return underLoad(stage, lifecycle, async () => {
    for (const { roll } of chosen) await roll();
    await realSleep(AFTER_MS, lifecycle.signal);
  });
}

await runBench(bench);
