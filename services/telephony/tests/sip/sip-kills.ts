import { hasSipp } from '@parley/testkit/sip';
import { killEdge } from './edge-kills.ts';
import { isPassed, type KillFindings } from './kill-findings.ts';
import { killWorkers } from './worker-kills.ts';

// The SIP edge (Kamailio) and workers are killed RUNS (200) times in all while calls are up, half of them each, side by side, within MAX_MINUTES
// (14): each call goes on or ends with a reason, and no leg is left at sipp after 30 seconds. Wants sipp, Kamailio, flite and pocketsphinx, a build
// (`npm run build`), Postgres and RabbitMQ.

const RUNS = Number(process.env.RUNS ?? 200);
const MAX_MS = Number(process.env.MAX_MINUTES ?? 14) * 60_000;
const TAKEOVER_MS = 5_000;
/** Half of the calls last some seconds after the kill. */
const EDGE_MS = 15_000;

if (!hasSipp()) {
  console.error('sipp is not installed: apt-get install sip-tester');
  process.exit(2);
}
const began = performance.now();
const isTimeOver = (): boolean => performance.now() - began > MAX_MS;
const half = Math.ceil(RUNS / 2);
const [edge, workers] = await Promise.all([killEdge(half, isTimeOver), killWorkers(RUNS - half, isTimeOver)]);

report('Kamailio', edge);
report('workers', workers);
const kills = edge.kills + workers.kills;
console.log(`${kills} kills in ${((performance.now() - began) / 60_000).toFixed(1)} minutes (bar ${RUNS})`);
const isGood = isPassed(edge, EDGE_MS) && isPassed(workers, TAKEOVER_MS) && kills >= RUNS;
console.log(isGood ? 'passed' : 'FAILED');
process.exit(isGood ? 0 : 1);

function report(what: string, findings: KillFindings): void {
  const { kills: count, moving, continuedMs, endedInstead, stuck, faults } = findings;
  const slowest = Math.max(0, ...continuedMs).toFixed(0);
  console.log(
    `${count} kills of ${what} with ${moving} calls: ${continuedMs.length} went on (bar 90 %), the slowest after ${slowest} ms ` +
      `(bar ${what === 'workers' ? TAKEOVER_MS : EDGE_MS}), ${endedInstead} ended with a reason instead, ${stuck} did neither (bar 0)`,
  );
  console.log(`  all calls ended`, Object.fromEntries(findings.ends), {
    'without a reason': findings.withoutReason,
    'left at sipp': findings.orphans,
    'rounds that failed': faults.length,
  });
  for (const fault of faults) console.log(`  ${fault}`);
}
