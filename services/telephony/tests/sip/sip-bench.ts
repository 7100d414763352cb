import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWERS, hasSipp, startSipp } from '@parley/testkit/sip';
import { audioByEdge, hasEdge, setUpsByEdge } from './edge-bench.ts';
import { percentile } from './percentile.ts';
import { dial, sipProcess, sipWorld, trunkAt } from './sip-process.ts';

// `npm run bench -- sip`: BENCH_CALLS (5,000) set-ups at BENCH_RATE (50) a second to sipp over TCP, each answered and hung up; then
// BENCH_AUDIO_CALLS (40) calls at once whose audio sipp returns, for BENCH_SECONDS (15). Then the same through the edge (Kamailio), by UDP, from
// sipp to two workers that share them: as many set-ups, and the calls with audio for each of the workers. BENCH_PARTS (direct,edge) chooses.

const CALLS = Number(process.env.BENCH_CALLS ?? 5_000);
const RATE = Number(process.env.BENCH_RATE ?? 50);
const AUDIO_CALLS = Number(process.env.BENCH_AUDIO_CALLS ?? 40);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15);
const PARTS = (process.env.BENCH_PARTS ?? 'direct,edge').split(',');
const TALK_MS = 300;
const MAX_AUDIO_LOSS = 0.001;

if (!hasSipp()) {
  console.error('sipp is not installed: apt-get install sip-tester');
  process.exit(2);
}

async function setUps(): Promise<boolean> {
  const here = sipProcess(sipWorld(), { maxLegs: 10_000 });
  const peer = await startSipp({ steps: ANSWERS, calls: CALLS, timeoutSeconds: 300 });
  const answerMs: number[] = [];
  let failed = 0;
  const one = async (): Promise<void> => {
    const began = performance.now();
    try {
      const call = await dial(here, trunkAt(peer.port));
      await call.until('answered');
      answerMs.push(performance.now() - began);
      await sleep(TALK_MS);
      await here.carrier.hangup(call.reference);
      const { cause } = await call.until('ended');
      if (cause !== 'local') failed += 1;
      here.carrier.detach(call.reference);
    } catch {
      failed += 1;
    }
  };
  const cpu = process.cpuUsage();
  const began = performance.now();
  const calls: Promise<void>[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    await sleep(Math.max(0, began + (n * 1_000) / RATE - performance.now()));
    calls.push(one());
  }
  await Promise.all(calls);
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const { code } = await peer.exited;
  await here.stop();
  console.log(
    `${CALLS} set-ups in ${seconds.toFixed(1)} s (${(CALLS / seconds).toFixed(1)} a second), ${failed} failed (bar 0), sipp: ${code === 0 ? 'all by its scenario' : `exit ${code}`}; ` +
      `to the answer p50 ${percentile(answerMs, 0.5).toFixed(0)} ms, p99 ${percentile(answerMs, 0.99).toFixed(0)} ms; ${((user + system) / 1_000 / CALLS).toFixed(2)} ms of CPU each`,
  );
  return failed === 0 && code === 0;
}

async function audio(): Promise<boolean> {
  const here = sipProcess(sipWorld());
  const peer = await startSipp({ steps: ANSWERS, calls: AUDIO_CALLS, echoes: true, timeoutSeconds: 120 });
  const calls = await Promise.all(Array.from({ length: AUDIO_CALLS }, () => dial(here, trunkAt(peer.port))));
  await Promise.all(calls.map((call) => call.until('media')));
  const sessions = calls.flatMap(({ reference }) => {
    const media = here.carrier.media(reference);
    return media?.kind === 'audio' ? [media.session] : [];
  });
  const gapsMs: number[] = [];
  for (const session of sessions) {
    let lastMs: number | undefined;
    session.onSent(() => {
      const nowMs = performance.now();
      if (lastMs !== undefined) gapsMs.push(nowMs - lastMs);
      lastMs = nowMs;
    });
  }
  const cpu = process.cpuUsage();
  await sleep(SECONDS * 1_000);
  const { user, system } = process.cpuUsage(cpu);
  const stats = sessions.map((session) => session.stats());
  const sum = (pick: (one: (typeof stats)[number]) => number): number =>
    stats.reduce((total, one) => total + pick(one), 0);
  // What comes back has our own source, which a line rejects as a loop.
  const [sent, returned] = [sum((one) => one.packetsSent), sum((one) => one.packetsRejected)];
  const lost = Math.max(0, sent - returned - sessions.length);
  await Promise.all(calls.map(({ reference }) => here.carrier.hangup(reference)));
  await peer.exited;
  await here.stop();
  const p99 = percentile(gapsMs, 0.99);
  console.log(
    `${sessions.length} calls with audio for ${SECONDS} s: ${sent} packets sent, ${returned} came back, ${lost} did not; gaps between sent packets p99 ${p99.toFixed(1)} ms (bar 25); ` +
      `${((user + system) / 10_000 / SECONDS).toFixed(0)} % of a core`,
  );
  return sessions.length === AUDIO_CALLS && p99 <= 25 && lost <= sent * MAX_AUDIO_LOSS;
}

const results: boolean[] = [];
if (PARTS.includes('direct')) results.push(await setUps(), await audio());
if (PARTS.includes('edge') && hasEdge) {
  results.push(await setUpsByEdge({ calls: CALLS, rate: RATE, talkMs: TALK_MS }));
  results.push(await audioByEdge({ each: AUDIO_CALLS, seconds: SECONDS }));
} else if (PARTS.includes('edge')) {
  console.error('Kamailio is not installed: the edge is not measured');
  results.push(false);
}
process.exit(results.every(Boolean) ? 0 : 1);
