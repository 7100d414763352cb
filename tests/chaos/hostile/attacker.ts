import { setMaxListeners } from 'node:events';
import { realSleep } from '@parley/kit/time';
import { hostileEndpoint } from '@parley/testkit/hostile';
import { createRandom, type Random } from '@parley/testkit/load';
import { z } from 'zod';
import { createApi, createCaller } from './api.ts';
import type { Attack, Attacker } from './attack.ts';
import { attackByCalls, attackByWidget } from './attack-calls.ts';
import { attackRoutes } from './attack-routes.ts';
import { attackBySockets } from './attack-sockets.ts';
import { attackTools } from './attack-tools.ts';
import { attackBySlowReads, attackByStreams, attackByWaits } from './attack-waits.ts';

// Runs the attackers in a process separate from the one that measures. HOSTILE: target and duration. The last line of
// output counts the results of the attacks. Exits on its own.

const settings = z
  .object({
    url: z.url(),
    seed: z.number(),
    ms: z.number(),
    workspaces: z.array(z.object({ privateKey: z.string(), publicKey: z.string() })),
  })
  .parse(JSON.parse(process.env.HOSTILE ?? '{}'));

/** For each workspace: the attack, the number of concurrent loops, and the mean pause between two attacks of a loop. */
const LOOPS: readonly [Attack, number, number][] = [
  [attackRoutes, 4, 150],
  [attackTools, 1, 400],
  [attackByCalls, 1, 400],
  [attackByWidget, 1, 800],
  [attackBySockets, 20, 200],
  [attackBySlowReads, 20, 500],
  [attackByWaits, 1, 1_000],
  [attackByStreams, 5, 500],
];
const HOSTILE_PATHS = [
  ...['/hang', '/endless', '/10mb', '/trickle', '/redirect', '/redirect-inside', '/not-json', '/half'],
  ...['/number', '/null', '/nested', '/reset', '/valid', '/valid'],
] as const;
const FLOOD_EVERY_MS = 20_000;
const FLOOD_REQUESTS = 150;

const stop = AbortSignal.timeout(settings.ms);
setMaxListeners(0, stop);
const server = await hostileEndpoint();
const counts = new Map<string, number>();
const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

const attempt = async (attack: Attack, attacker: Attacker, random: Random): Promise<void> => {
  try {
    count(await attack(attacker, random));
  } catch (error) {
    if (stop.aborted) return;
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    count(`no answer: ${cause instanceof Error && 'code' in cause ? cause.code : cause}`);
  }
};

const loops: Promise<void>[] = [];
for (const [index, keys] of settings.workspaces.entries()) {
  const attacker = await prepare(index, keys);
  for (const [attack, copies, pauseMs] of LOOPS) {
    for (let copy = 0; copy < copies; copy += 1) {
      const random = createRandom(settings.seed + loops.length * 7_919);
      loops.push(loop(() => attempt(attack, attacker, random), random, pauseMs));
    }
  }
  const random = createRandom(settings.seed + loops.length * 7_919);
  const flood = async (): Promise<void> => {
    const requests = Array.from({ length: FLOOD_REQUESTS }, () => attempt(attackRoutes, attacker, random));
    await Promise.all(requests);
  };
  loops.push(loop(flood, random, FLOOD_EVERY_MS));
}
await Promise.all(loops);
await server.close();
process.stdout.write(`${JSON.stringify(Object.fromEntries(counts))}\n`);
process.exit(0);

async function loop(act: () => Promise<void>, random: Random, pauseMs: number): Promise<void> {
  while (!stop.aborted) {
    await realSleep(random.upTo(2 * pauseMs), stop).catch(() => undefined);
    if (!stop.aborted) await act();
  }
}

/** Creates an assistant whose webhooks and tools use the hostile server. */
async function prepare(index: number, keys: { privateKey: string; publicKey: string }): Promise<Attacker> {
  const api = createApi(settings.url, keys.privateKey);
  const paths = ['/hang', '/endless', '/trickle', '/reset', '/redirect-inside'] as const;
  const webhookUrl = `${server.url}${paths[index % paths.length]}`;
  const { agentId, phoneNumber } = await createCaller(api, {
    phoneNumber: `+1555010070${index}`,
    webhookUrl,
  });
  for (const path of HOSTILE_PATHS.slice(index * 4, index * 4 + 5)) {
    await api('POST', '/v1/tool/custom', {
      agent_id: agentId,
      tool_name: `hostile_${path.replaceAll(/\W/g, '_')}`,
      description: 'Looks something up',
      endpoint_url: server.url + path,
      http_method: 'POST',
      timeout_seconds: 5,
      parameters: { type: 'object', properties: {} },
    });
  }
  return {
    ...keys,
    url: settings.url,
    agentId,
    phoneNumber,
    ids: [agentId],
    hostileUrl: (random) => server.url + random.pick([...HOSTILE_PATHS] as [string, ...string[]]),
    signal: stop,
  };
}
