import { setMaxListeners } from 'node:events';
import { realSleep } from '@parley/kit/time';
import { hostileEndpoint } from '@parley/testkit/hostile';
import { createRandom, type Random } from '@parley/testkit/load';
import { z } from 'zod';
import { type Caller, createApi, createCaller } from './api.ts';
import type { Attack, Attacker } from './attack.ts';
import { attackByCalls, attackByWidget } from './attack-calls.ts';
import { attackRoutes } from './attack-routes.ts';
import { attackBySockets } from './attack-sockets.ts';
import { attackByTexts } from './attack-texts.ts';
import { attackTools } from './attack-tools.ts';
import { attackBySlowReads, attackByStreams, attackByWaits } from './attack-waits.ts';

// Runs the attackers in a process separate from the one that measures. HOSTILE: target and duration. The last line of
// output counts the results of the attacks, in all and in the last third of the time. Exits on its own.

const settings = z
  .object({
    url: z.url(),
    seed: z.number(),
    ms: z.number(),
    workspaces: z.array(
      z.object({
        privateKey: z.string(),
        publicKey: z.string(),
        session: z.record(z.string(), z.string()).optional(),
      }),
    ),
  })
  .parse(JSON.parse(process.env.HOSTILE ?? '{}'));

/** For each workspace but the last: the attack, the number of concurrent loops, and the mean pause between two attacks of a loop. */
const LOOPS: readonly [Attack, number, number][] = [
  [attackRoutes, 4, 150],
  [attackTools, 1, 400],
  [attackByCalls, 1, 400],
  [attackByWidget, 1, 800],
  [attackBySockets, 20, 200],
  [attackBySlowReads, 20, 500],
  [attackByStreams, 5, 500],
];
/** By the last workspace alone: they would seldom pass limits that the other attacks use up. */
const QUIET_LOOPS: typeof LOOPS = [
  [attackByTexts, 1, 2_000],
  [attackByWaits, 1, 1_000],
];
const HOSTILE_PATHS = [
  ...['/hang', '/endless', '/10mb', '/trickle', '/redirect', '/redirect-inside', '/not-json', '/half'],
  ...['/number', '/null', '/nested', '/reset', '/valid', '/valid'],
] as const;
const FLOOD_EVERY_MS = 20_000;
const FLOOD_REQUESTS = 150;
/** Attacks change what they use, and an assistant takes no more than 200 tools. */
const RENEW_EVERY_MS = 20_000;
/** The attacks of a workspace use up its limits. */
const RETRY_MS = 300;

const stop = AbortSignal.timeout(settings.ms);
setMaxListeners(0, stop);
const server = await hostileEndpoint();
const lateFrom = Date.now() + (settings.ms * 2) / 3;
const counts = new Map<string, number>();
const late = new Map<string, number>();
const count = (what: string): void => {
  for (const of of Date.now() < lateFrom ? [counts] : [counts, late]) of.set(what, (of.get(what) ?? 0) + 1);
};

const attempt = async (attack: Attack, attacker: Attacker, random: Random): Promise<void> => {
  try {
    count(await attack(attacker, random));
  } catch (error) {
    if (stop.aborted) return;
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    count(`no answer: ${cause instanceof Error && 'code' in cause ? cause.code : cause}`);
  }
};

/** Each number is new. */
let prepared = 0;
const loops: Promise<void>[] = [];
for (const [index, keys] of settings.workspaces.entries()) {
  const attacker: Attacker = {
    ...keys,
    ...(await prepare(index, keys.privateKey)),
    session: keys.session,
    url: settings.url,
    ids: [],
    calls: [],
    hostileUrl: (random) => server.url + random.pick([...HOSTILE_PATHS] as [string, ...string[]]),
    signal: stop,
  };
  attacker.ids.push(attacker.agentId);
  const isQuiet = index === settings.workspaces.length - 1;
  for (const [attack, copies, pauseMs] of isQuiet ? QUIET_LOOPS : LOOPS) {
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
  if (!isQuiet) loops.push(loop(flood, random, FLOOD_EVERY_MS));
  const renew = async (): Promise<void> => {
    try {
      Object.assign(attacker, await prepare(index, keys.privateKey));
      attacker.ids.push(attacker.agentId);
      count('renewed 200');
    } catch (error) {
      if (!stop.aborted) count(`not renewed: ${error}`);
    }
  };
  loops.push(loop(renew, random, RENEW_EVERY_MS));
}
await Promise.all(loops);
await server.close();
const answers = { all: Object.fromEntries(counts), late: Object.fromEntries(late) };
process.stdout.write(`${JSON.stringify(answers)}\n`);
process.exit(0);

async function loop(act: () => Promise<void>, random: Random, pauseMs: number): Promise<void> {
  while (!stop.aborted) {
    await realSleep(random.upTo(2 * pauseMs), stop).catch(() => undefined);
    if (!stop.aborted) await act();
  }
}

/** Creates an assistant whose webhooks and tools use the hostile server, and its number. */
async function prepare(index: number, privateKey: string): Promise<Caller> {
  const api = createApi(settings.url, privateKey, RETRY_MS);
  const paths = ['/hang', '/endless', '/trickle', '/reset', '/redirect-inside'] as const;
  const webhookUrl = `${server.url}${paths[index % paths.length]}`;
  prepared += 1;
  const phoneNumber = `+1555${index}${String(prepared).padStart(6, '0')}`;
  const caller = await createCaller(api, { phoneNumber, webhookUrl });
  for (const path of new Set(HOSTILE_PATHS.slice(index * 4, index * 4 + 5))) {
    await api('POST', '/v1/tool/custom', {
      agent_id: caller.agentId,
      tool_name: `hostile_${path.replaceAll(/\W/g, '_')}`,
      description: 'Looks something up',
      endpoint_url: server.url + path,
      http_method: 'POST',
      timeout_seconds: 5,
      parameters: { type: 'object', properties: {} },
    });
  }
  return caller;
}
