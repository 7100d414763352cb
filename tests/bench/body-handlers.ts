import { type AnyEndpoint, publicEndpoints } from '@parley/contracts';
import { monotonicMs, realSleep } from '@parley/kit/time';
import { hostileValues, placesIn } from '@parley/testkit/hostile';
import { processorMs, runBench } from '@parley/testkit/load';
import { type PlatformStage, stagePlatform } from '@parley/testkit/stage';

// CPU time of each process for a mebibyte of hostile JSON that passes the gateway, a service and the handler of its endpoint: uploads of contacts,
// assistants, tools, calls. `bodies` measures reading and validation alone, for every endpoint. Arguments: ids of endpoints.
// Requires Postgres (DATABASE_URL), Redis and RabbitMQ (AMQP_URL); cleans up after itself.

const BAR_MS = 50;
/** The system counts hundredths of a second, and processes have other work: the mean of these. */
const TRIES = 3;
const IDLE_MS = 5_000;
const SHOWN = 20;
const ENDPOINTS = [
  ...['createCampaign', 'createAssistant', 'patchAssistant', 'createCustomTool'],
  ...['testAssistant', 'testTool', 'createPhoneCall', 'createWebCall', 'addDocument', 'addToDoNotCall'],
];
const LIMITS = { 'requests-per-minute': 10_000_000, 'request-burst': 1_000_000 };

type Cost = { place: string; process: string; ms: number; status: number };

await runBench(async (lifecycle) => {
  const stage = await stagePlatform(lifecycle, { clockRate: 1 });
  const { private_key: key } = await stage.createWorkspace('Bodies', LIMITS);
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : ENDPOINTS;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = async (path: string, body: string, method = 'POST') => {
    const response = await fetch(stage.url + path, { method, headers, body });
    return { status: response.status, text: await response.text() };
  };
  const created = await post('/v1/assistant', JSON.stringify({ agent_name: 'Ada' }));
  const { id } = (JSON.parse(created.text) as { data: { id: string } }).data;
  const idle = await idleShares(stage);
  const costs: Cost[] = [];
  for (const endpoint of publicEndpoints) {
    if (!wanted.includes(endpoint.id)) continue;
    const example = { ...(endpoint.example as object), ...(hasAgent(endpoint) ? { agent_id: id } : {}) };
    const path = endpoint.path.replaceAll(/:\w+/g, id);
    for (const place of placesIn({ ...endpoint, example }))
      for (const [kind, value] of Object.entries(hostileValues)) {
        const body = place.wrap(value);
        const [before, beganMs] = [await processorTimes(stage), monotonicMs()];
        let status = 0;
        for (let n = 0; n < TRIES; n += 1) ({ status } = await post(path, body, endpoint.method));
        const [after, tookMs] = [await processorTimes(stage), monotonicMs() - beganMs];
        for (const [name, ms] of after) {
          const used = ms - (before.get(name) ?? 0) - tookMs * (idle.get(name) ?? 0);
          costs.push({
            place: `${endpoint.id} ${place.path}: ${kind}`,
            process: name,
            ms: used / TRIES,
            status,
          });
        }
      }
  }
  costs.sort((a, b) => b.ms - a.ms);
  for (const { ms, process: name, place, status } of costs.slice(0, SHOWN))
    console.log(`${ms.toFixed(0).padStart(6)} ms  ${name.padEnd(16)} ${place} (${status})`);
  const worst = costs[0]?.ms ?? Number.POSITIVE_INFINITY;
  const verdict = worst <= BAR_MS ? 'met' : 'MISSED';
  console.log(
    `${costs.length} measurements, the largest ${worst.toFixed(0)} ms; bar ${BAR_MS} ms: ${verdict}`,
  );
  return worst <= BAR_MS && !lifecycle.signal.aborted;
});

function hasAgent({ example }: AnyEndpoint): boolean {
  return typeof example === 'object' && example !== null && 'agent_id' in example;
}

async function processorTimes({ processes }: PlatformStage): Promise<Map<string, number>> {
  const times = Object.entries(processes).map(
    async ([name, { pid }]) => [name, await processorMs(pid)] as const,
  );
  return new Map(await Promise.all(times));
}

/** The share of a CPU that each process uses without requests. */
async function idleShares(stage: PlatformStage): Promise<Map<string, number>> {
  const before = await processorTimes(stage);
  await realSleep(IDLE_MS);
  const after = await processorTimes(stage);
  return new Map([...after].map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / IDLE_MS]));
}
