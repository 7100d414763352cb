import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench, summarize } from '@parley/testkit/load';
import type { Measured } from './gateway/generator.ts';
import { type Stage, setStage, type Target } from './gateway/stage.ts';

// The cost of the gateway: the same requests sent directly, through the gateway with keys, limits and logs, through an Express
// app that only forwards with got, and through an Express app that also authenticates, limits and logs, alternately. The bar
// refers to the app that only forwards. There are two upstreams: the assistants service, and one that does almost no work, so
// that its own cost doesn't hide the difference. Everything runs compiled, in separate processes; the load generator shares
// the machine. Requires Postgres, RabbitMQ and Redis; cleans up after itself.

const ROUNDS = 3;
const THROUGHPUT = { seconds: 2.5, connections: 32 };
const AT_RATE = { seconds: 4, connections: 64, ratePerSecond: 1_000 };
const BARS = { ofDirect: 0.3, ofExpress: 2, addedP50Ms: 1.5, addedP99Ms: 10 };

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  const stage = await setStage(lifecycle);
  const service = { name: 'the assistants service', path: '/v1/voice', ...stage.routes };
  const bare = { name: 'an owner that costs nothing', path: '/v1/campaigns', ...stage.routesToBare };
  for (const { path, direct, gateway, express, duties } of [service, bare]) {
    for (const target of [direct, gateway, express, duties])
      await ask(stage, target, { ...THROUGHPUT, path });
  }
  const toService = await throughput(stage, service);
  const ofDirect = atLeast('of direct', toService.gateway / toService.direct, BARS.ofDirect);
  const toBare = await throughput(stage, bare);
  const ofExpress = atLeast(
    'of express + got that does nothing else',
    toBare.gateway / toBare.express,
    BARS.ofExpress,
  );
  const withDuties = toBare.gateway / toBare.duties;
  console.log(`  ${withDuties.toFixed(2)} × of express + got with the same duties  (no bar)`);
  const added = await latency(stage, bare);
  return [ofDirect, ofExpress, added].every(Boolean);
}

type Route = Stage['routes'] & { name: string; path: string };

async function throughput(stage: Stage, { name, path, direct, gateway, express, duties }: Route) {
  console.log(`${name}: maximum throughput of ${THROUGHPUT.connections} connections`);
  const routes = [direct, gateway, express, duties];
  const rounds = await inTurns(stage, routes, { ...THROUGHPUT, path });
  const [d = 0, g = 0, e = 0, w = 0] = rounds.map((each) => {
    const seconds = each.reduce((sum, round) => sum + round.seconds, 0);
    return each.reduce((sum, { count }) => sum + count, 0) / seconds;
  });
  const rate = (perSecond: number): string => `${perSecond.toFixed(0)}/s`;
  console.log(
    `  direct ${rate(d)}, gateway ${rate(g)}, express + got ${rate(e)}, with the same duties ${rate(w)}`,
  );
  return { direct: d, gateway: g, express: e, duties: w };
}

async function latency(stage: Stage, { name, path, direct, gateway }: Route): Promise<boolean> {
  console.log(`${name}: ${AT_RATE.ratePerSecond} requests a second`);
  const rounds = await inTurns(stage, [direct, gateway], { ...AT_RATE, path });
  const [without, through] = rounds.map((each) =>
    summarize(
      AT_RATE.ratePerSecond,
      each.flatMap(({ latencies }) => latencies),
    ),
  );
  const ms = (value = Number.NaN): string => `${value.toFixed(2)} ms`;
  for (const [target, it] of Object.entries({ direct: without, gateway: through })) {
    console.log(`  ${target.padEnd(8)} p50 ${ms(it?.p50)}  p99 ${ms(it?.p99)}  max ${ms(it?.max)}`);
  }
  const p50 = atMost('p50', (through?.p50 ?? 0) - (without?.p50 ?? 0), BARS.addedP50Ms);
  return atMost('p99', (through?.p99 ?? 0) - (without?.p99 ?? 0), BARS.addedP99Ms) && p50;
}

type Load = Parameters<Stage['measure']>[0];

/** Measures the routes alternately, so that other load on the machine affects all of them. */
async function inTurns(stage: Stage, routes: Target[], load: Load): Promise<Measured[][]> {
  const rounds: Measured[][] = routes.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [i, target] of routes.entries()) rounds[i]?.push(await ask(stage, target, load));
  }
  return rounds;
}

async function ask(stage: Stage, target: Target, load: Load): Promise<Measured> {
  const measured = await stage.measure(load, target);
  if (measured.failed > 0)
    throw new Error(`${target.name}: ${measured.failed} of ${measured.count} requests failed`);
  return measured;
}

function atLeast(what: string, share: number, bar: number): boolean {
  console.log(`  ${share.toFixed(2)} × ${what}  bar ≥ ${bar}: ${share >= bar ? 'met' : 'MISSED'}`);
  return share >= bar;
}

function atMost(what: string, ms: number, bar: number): boolean {
  console.log(`  adds ${what} ${ms.toFixed(2)} ms  bar ≤ ${bar} ms: ${ms <= bar ? 'met' : 'MISSED'}`);
  return ms <= bar;
}

await runBench(bench);
