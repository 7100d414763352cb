import { parseArgs } from 'node:util';
import { hasSipp } from '@parley/testkit/sip';
import { scenariosOf } from './scenarios.ts';
import { openStage, type Scenario, type Stage } from './stage.ts';
import { isTopologyInstalled, TOPOLOGIES, type Topology } from './topology.ts';

// `npm run chaos -- sip`: every scenario against sipp as a trunk, over TCP, over TLS, and over UDP by the edge, one after the other; those whose
// name contains CHAOS_SCENARIO, in CHAOS_TOPOLOGY (tcp, tls or edge) alone if that is set. Fails if one ends otherwise than it should, or hangs.

const { positionals } = parseArgs({ allowPositionals: true });
const wanted = process.env.CHAOS_SCENARIO ?? positionals[0] ?? '';
const topologies = TOPOLOGIES.filter((topology) =>
  [undefined, '', topology].includes(process.env.CHAOS_TOPOLOGY),
);
const LIMIT_MS = 60_000;

const missing = hasSipp() ? topologies.find((topology) => !isTopologyInstalled(topology)) : 'sipp';
if (missing !== undefined) {
  const what = missing === 'sipp' ? 'sipp is' : 'Kamailio is';
  console.error(`${what} not installed: apt-get install sip-tester kamailio`);
  process.exit(2);
}

async function hasPassed({ name, run }: Scenario, stage: Stage): Promise<boolean> {
  const began = performance.now();
  const limit = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`did not end in ${LIMIT_MS} ms`)), LIMIT_MS).unref();
  });
  try {
    await Promise.race([run(stage), limit]);
    console.log(`ok    ${stage.topology}  ${Math.round(performance.now() - began)} ms  ${name}`);
    return true;
  } catch (error) {
    console.log(`FAIL  ${stage.topology}  ${name}: ${error instanceof Error ? error.message : error}`);
    if (process.env.CHAOS_TRACE)
      for (const { direction, message } of stage.here.trace) console.log(`--- ${direction}\n${message}`);
    return false;
  }
}

async function runAll(topology: Topology): Promise<{ topology: Topology; passed: number; all: number }> {
  const stage = await openStage(topology);
  const scenarios = scenariosOf(topology).filter(({ name }) => name.includes(wanted));
  let passed = 0;
  for (const scenario of scenarios) if (await hasPassed(scenario, stage)) passed += 1;
  await stage.close();
  return { topology, passed, all: scenarios.length };
}

const results = [];
for (const topology of topologies) results.push(await runAll(topology));
for (const { topology, passed, all } of results)
  console.log(`${topology}: ${passed} of ${all} scenarios ended as they should`);
process.exit(results.every(({ passed, all }) => passed === all) ? 0 : 1);
