import { hasSipp } from '@parley/testkit/sip';
import { killEdge } from './edge-kills.ts';
import type { KillFindings } from './kill-findings.ts';
import { killWorkers } from './worker-kills.ts';

// The SIP edge (Kamailio) and workers are killed RUNS (200) times in all while calls are up, half of them each, side by side, within MAX_MINUTES
// (14): each call goes on or ends with a reason, and no leg is left at sipp after 30 seconds. Wants sipp, Kamailio, flite and pocketsphinx, a build
// (`npm run build`), Postgres and RabbitMQ.

const RUNS = Number(process.env.RUNS ?? 200);
const MAX_MS = Number(process.env.MAX_MINUTES ?? 14) * 60_000;
const TAKEOVER_MS = 5_000;

if (!hasSipp()) {
  console.error('sipp is not installed: apt-get install sip-tester');
  process.exit(2);
}
const began = performance.now();
const isTimeOver = (): boolean => performance.now() - began > MAX_MS;
const half = Math.ceil(RUNS / 2);
const [edge, workers] = await Promise.all([killEdge(half, isTimeOver), killWorkers(RUNS - half, isTimeOver)]);

const slowest = Math.max(0, ...workers.continuedMs);
report('Kamailio', edge);
report('workers', workers);
console.log(
  `${workers.continuedMs.length} calls went on in another worker, the slowest after ${slowest.toFixed(0)} ms (bar ${TAKEOVER_MS})`,
);
const kills = edge.kills + workers.kills;
console.log(`${kills} kills in ${((performance.now() - began) / 60_000).toFixed(1)} minutes (bar ${RUNS})`);
const isClean = [edge, workers].every(({ withoutReason, orphans }) => withoutReason + orphans === 0);
process.exit(isClean && kills >= RUNS && slowest <= TAKEOVER_MS ? 0 : 1);

function report(what: string, { kills: count, ends, withoutReason, orphans }: KillFindings): void {
  console.log(`${count} kills of ${what}: calls ended`, Object.fromEntries(ends), {
    'without a reason': withoutReason,
    'left at sipp': orphans,
  });
}
