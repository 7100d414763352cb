import { setMaxListeners } from 'node:events';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { monotonicMs, realSleep } from '@parley/kit/time';
import { runBench, summarize, toLine } from '@parley/testkit/load';
import { type Load, sendLoad } from './rolling/load.ts';
import { report } from './rolling/report.ts';
import { type Stage, setStage } from './rolling/stage.ts';
import { judge, type Seen, type Verdict } from './rolling/verdict.ts';

// A rollout of a new version under load: every replica of every service is replaced in turn, as a Deployment does, during
// API requests, slow uploads of contact lists, a campaign, inbound calls and web calls. Then checks that no request failed
// (a 503 with Retry-After counts as failed), that the human ended every call, and that each call's three events were
// delivered once and in order. For comparison, the same load without a rollout, and with gateway and telephony replaced
// without draining.
// RATE: requests a second (20), three in twenty of them calls; ONLY: name of one deployment; TOGETHER: replaces all at once,
// as `kubectl apply` does; STOP_DRAIN_MS=0 makes the run fail. Requires Postgres, Redis, RabbitMQ and the build; cleans up
// after itself.

const RATE = Number(process.env.RATE ?? 20);
const REPLICAS = 2;
const STEADY_MS = 10_000;
const AFTER_MS = 3_000;
/** How long the last calls may take to end and their events to arrive. Real time. */
const LAST_MS = 120_000;
const UNDRAINED = ['gateway', 'telephony'];

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  // Each replica adds a listener.
  setMaxListeners(0, lifecycle.signal);
  const stage = await setStage(REPLICAS, lifecycle);
  console.log(`${RATE} requests a second, a running campaign, ${REPLICAS} replicas of each service`);
  const steady = await underLoad(stage, lifecycle, () => realSleep(STEADY_MS, lifecycle.signal));
  const rolled = await underLoad(stage, lifecycle, () => rollAll(stage, lifecycle.signal));
  await stage.campaign.pause();
  const seen = await awaitEvents(stage, [steady, rolled]);
  const verdict = judge(seen);
  const campaign = await stage.campaign.read();
  const undrained = await withoutDraining(stage, lifecycle);

  console.log(toLine('without a rollout', summarize(RATE, steady.latenciesMs), 'responses'));
  console.log(toLine('during the rollout', summarize(RATE, rolled.latenciesMs), 'responses'));
  const failedOf = ({ failures, sent }: Load): string => `${failures.length} of ${sent} requests failed`;
  console.log(`for comparison, ${UNDRAINED.join(' and ')} without draining: ${failedOf(undrained)}`);
  return report({ steady, rolled, seen, verdict, campaign });
}

/** Results of the load while `work` runs. */
async function underLoad(stage: Stage, lifecycle: Lifecycle, work: () => Promise<unknown>): Promise<Load> {
  const stop = new AbortController();
  const sending = sendLoad(stage.target, RATE, AbortSignal.any([stop.signal, lifecycle.signal]));
  try {
    await work();
  } finally {
    stop.abort();
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

/** Waits until every accepted call has ended and all its events arrived, at most `LAST_MS`; returns what was observed. */
async function awaitEvents(stage: Stage, loads: readonly Load[]): Promise<Seen> {
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

/** Replaces without draining: a process stops listening at once, before the balancer has removed it. */
async function withoutDraining(stage: Stage, lifecycle: Lifecycle): Promise<Load> {
  const chosen = stage.deployments.filter(({ name }) => UNDRAINED.includes(name));
  await Promise.all(chosen.map(({ roll }) => roll({ STOP_DRAIN_MS: '0' })));
  return underLoad(stage, lifecycle, async () => {
    for (const { roll } of chosen) await roll();
    await realSleep(AFTER_MS, lifecycle.signal);
  });
}

await runBench(bench);
