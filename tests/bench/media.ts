import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench } from '@parley/testkit/load';
import { measureCalls } from './media/far-end.ts';

// Concurrent G.711 calls over UDP on loopback, in a separate process that plays speech-like audio, receives the far end and, with
// 40 calls, records. This process is the far end: it sends to every call and takes the arrival time of each packet. For comparison,
// the same number of sockets and packets without media: the cost of the machine and Node alone. BENCH_SECONDS (20) of each.

const SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const MAX_GAP_MS = 25;
const MAX_CPU = 0.9;
const CASES = [
  { calls: 40, kind: 'sockets' },
  { calls: 40, kind: 'recorded' },
  { calls: 200, kind: 'sockets' },
  { calls: 200, kind: 'calls' },
] as const;

await runBench(async (lifecycle: Lifecycle): Promise<boolean> => {
  console.log(`${SECONDS} s each; gaps between arriving packets of a call`);
  console.log('                     packets     gap p50     p99     max   lost  late frames  core   RSS');
  let met = true;
  for (const { calls, kind } of CASES) {
    const found = await measureCalls({ calls, kind, seconds: SECONDS }, lifecycle);
    const ok = found.gapP99Ms <= MAX_GAP_MS && found.lost === 0 && found.cpu <= MAX_CPU;
    if (kind !== 'sockets') met &&= ok;
    const columns = [
      `${String(calls).padStart(3)} ${kind.padEnd(12)}`,
      String(found.packets).padStart(12),
      `${found.gapP50Ms.toFixed(1)} ms`.padStart(11),
      `${found.gapP99Ms.toFixed(1)}`.padStart(7),
      `${found.gapMaxMs.toFixed(1)}`.padStart(7),
      String(found.lost).padStart(6),
      String(found.concealedFrames).padStart(12),
      `${(found.cpu * 100).toFixed(0)} %`.padStart(6),
      `${found.rssMib.toFixed(0)} MiB`.padStart(9),
    ];
    const verdict = kind === 'sockets' ? 'for comparison' : ok ? 'met' : 'MISSED';
    console.log(`${columns.join(' ')}  ${verdict}`);
  }
  console.log(
    `bar: gap p99 ≤ ${MAX_GAP_MS} ms, nothing lost, ≤ ${MAX_CPU * 100} % of a core: ${met ? 'met' : 'MISSED'}`,
  );
  return met;
});
