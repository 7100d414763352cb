import { parseArgs } from 'node:util';
import { hasSipp } from '@parley/testkit/sip';
import { BRIDGES } from './bridge-scenarios.ts';
import { CROSSINGS } from './crossing-scenarios.ts';
import { INBOUND } from './inbound-scenarios.ts';
import { MOVING } from './moving-scenarios.ts';
import { OUTBOUND } from './outbound-scenarios.ts';
import { ROUTING } from './routing-scenarios.ts';
import { openStage } from './stage.ts';

// `npm run chaos -- sip`: every scenario against sipp as a trunk, one after the other; those whose name contains CHAOS_SCENARIO. Fails if one
// ends otherwise than it should, or hangs.

const { positionals } = parseArgs({ allowPositionals: true });
const wanted = process.env.CHAOS_SCENARIO ?? positionals[0] ?? '';
const LIMIT_MS = 60_000;

if (!hasSipp()) {
  console.error('sipp is not installed: apt-get install sip-tester');
  process.exit(2);
}
const stage = await openStage();
let failures = 0;
for (const { name, run } of [...OUTBOUND, ...INBOUND, ...MOVING, ...BRIDGES, ...ROUTING, ...CROSSINGS].filter(
  (scenario) => scenario.name.includes(wanted),
)) {
  const began = performance.now();
  const limit = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`did not end in ${LIMIT_MS} ms`)), LIMIT_MS).unref();
  });
  try {
    await Promise.race([run(stage), limit]);
    console.log(`ok    ${Math.round(performance.now() - began)} ms  ${name}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}: ${error instanceof Error ? error.message : error}`);
    if (process.env.CHAOS_TRACE)
      for (const { direction, message } of stage.here.trace) console.log(`--- ${direction}\n${message}`);
  }
}
await stage.close();
console.log(failures === 0 ? 'all scenarios ended as they should' : `${failures} scenarios failed`);
process.exit(failures === 0 ? 0 : 1);
