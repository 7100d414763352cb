import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { encodeMuLaw, samplesIn } from '@parley/media';
import { runBench } from '@parley/testkit/load';
import { type Audio, measureCalls } from './media/far-end.ts';
import type { Case, Conversations, Doubles, Leaks } from './voice/protocol.ts';
import { voiced } from './voice/sounds.ts';
import { measureTakeover } from './voice/takeover.ts';

// Spoken calls in real time against provider doubles that respond immediately: how soon the assistant answers, and stops when it is
// interrupted; whether the transcript matches the audio; 40 concurrent calls compared with bare sockets; leaks after a thousand calls of every kind;
// and how soon another worker continues the calls of a killed one. BENCH_SECONDS (30) per conversation, BENCH_CAPACITY_SECONDS (300),
// BENCH_LEAK_CALLS (1000), BENCH_PARTS (answers,barge,mhm,cough,capacity,leaks,takeover). The last part
// requires Postgres and RabbitMQ.

const SECONDS = Number(process.env.BENCH_SECONDS ?? 30);
const CAPACITY_SECONDS = Number(process.env.BENCH_CAPACITY_SECONDS ?? 300);
const PARTS = (process.env.BENCH_PARTS ?? 'answers,barge,mhm,cough,capacity,leaks,takeover').split(',');
const MAX = {
  answerMs: 80,
  silenceMs: 250,
  words: 1,
  gapMs: 25,
  cpu: 0.9,
  callMib: 8,
  leakKib: 2_048,
  takeoverMs: 5_000,
};
const TALKERS = 10;
const CALLS = 40;
const LEAK_CALLS = Number(process.env.BENCH_LEAK_CALLS ?? 1_000);

type Verdict = { what: string; figure: string; bar: string; comparison?: string; met: boolean };

await runBench(async (lifecycle: Lifecycle, log: Log): Promise<boolean> => {
  const provider = await inChild<Doubles>('provider.ts', [], undefined, lifecycle);
  const verdicts: Verdict[] = [];
  const report = (...found: Verdict[]): void => {
    verdicts.push(...found);
    for (const { what, figure, bar, comparison, met } of found)
      console.log(
        `${what.padEnd(46)} ${figure.padEnd(34)} bar ${bar.padEnd(24)} ${met ? 'met' : 'MISSED'}${comparison ? `  (${comparison})` : ''}`,
      );
  };
  const run = (kind: Case): Promise<Conversations> => converse(kind, provider, lifecycle);
  if (PARTS.includes('answers')) report(answers(await run('answers')));
  if (PARTS.includes('barge')) report(...interruptions(await run('barge')));
  if (PARTS.includes('mhm')) report(continues('backchannel over the assistant', await run('mhm')));
  if (PARTS.includes('cough')) report(continues('cough over the assistant', await run('cough')));
  if (PARTS.includes('capacity')) report(...(await capacity(provider, lifecycle)));
  if (PARTS.includes('leaks')) report(...(await leaks(provider, lifecycle)));
  if (PARTS.includes('takeover')) report(...(await takeover(provider, lifecycle, log)));
  return verdicts.every(({ met }) => met);
});

function answers({ samples, providerMs }: Conversations): Verdict {
  const p95 = percentile(samples, 0.95);
  return {
    what: 'end of speech → first audio, beyond endpointing',
    figure: `p50 ${ms(percentile(samples, 0.5))}, p95 ${ms(p95)} of ${samples.length}`,
    bar: `p95 ≤ ${MAX.answerMs} ms`,
    comparison: `of which the provider: p50 ${ms(percentile(providerMs, 0.5))}, p95 ${ms(percentile(providerMs, 0.95))}`,
    met: samples.length > 0 && p95 <= MAX.answerMs,
  };
}

function interruptions({ samples, wordErrors = [], interrupted, total }: Conversations): Verdict[] {
  const p95 = percentile(samples, 0.95);
  const worst = Math.max(...wordErrors);
  return [
    {
      what: 'speech over the assistant → silence on the wire',
      figure: `p50 ${ms(percentile(samples, 0.5))}, p95 ${ms(p95)} of ${samples.length}`,
      bar: `p95 ≤ ${MAX.silenceMs} ms`,
      met: samples.length > 0 && p95 <= MAX.silenceMs,
    },
    {
      what: 'words on record − words heard, interrupted',
      figure: `${worst} at most, ${interrupted} of ${total} interrupted`,
      bar: `≤ ${MAX.words}, all interrupted`,
      met: worst <= MAX.words && interrupted === total,
    },
  ];
}

function continues(what: string, { interrupted, total }: Conversations): Verdict {
  const figure = `${total - interrupted} of ${total} continued`;
  return { what, figure, bar: 'all', met: total > 0 && interrupted === 0 };
}

/** At the far end, each call speaks for two seconds of every seven, staggered. */
function humanAudio(): Audio {
  const speech = voiced(2_000, 8_000);
  const frame = samplesIn(20, 8_000);
  const encoded = encodeMuLaw(speech);
  const silence = encodeMuLaw(new Int16Array(frame));
  const cycle = 350;
  return (n, call) => {
    const at = ((n + call * 17) % cycle) * frame;
    return at + frame <= encoded.length ? encoded.subarray(at, at + frame) : silence;
  };
}

async function capacity(provider: Doubles, lifecycle: Lifecycle): Promise<Verdict[]> {
  const bare = await measureCalls(
    { calls: CALLS, kind: 'sockets', seconds: CAPACITY_SECONDS / 3 },
    lifecycle,
  );
  const found = await measureCalls(
    {
      calls: CALLS,
      kind: 'spoken',
      seconds: CAPACITY_SECONDS,
      nearEnd: join(import.meta.dirname, 'voice/near-end.ts'),
      env: { BENCH_PROVIDER: JSON.stringify(provider) },
      audio: humanAudio(),
    },
    lifecycle,
  );
  const { gapP99Ms, lost, cpu, callMib = Number.POSITIVE_INFINITY, turns = 0, packets } = found;
  return [
    {
      what: `${CALLS} spoken calls, ${CAPACITY_SECONDS} s: gaps between packets`,
      figure: `p99 ${ms(gapP99Ms)}, ${lost} of ${packets} lost, ${turns} turns`,
      bar: `p99 ≤ ${MAX.gapMs} ms, 0 lost`,
      comparison: `bare sockets: p99 ${ms(bare.gapP99Ms)}, ${bare.lost} lost`,
      met: gapP99Ms <= MAX.gapMs && lost === 0 && turns > CALLS,
    },
    {
      what: 'processor time',
      figure: `${(cpu * 100).toFixed(0)} % of a core`,
      bar: `≤ ${MAX.cpu * 100} %`,
      comparison: `bare sockets: ${(bare.cpu * 100).toFixed(0)} %`,
      met: cpu <= MAX.cpu,
    },
    {
      what: 'memory of a call',
      figure: `${callMib.toFixed(1)} MiB`,
      bar: `≤ ${MAX.callMib} MiB`,
      met: callMib <= MAX.callMib,
    },
  ];
}

async function leaks(provider: Doubles, lifecycle: Lifecycle): Promise<Verdict[]> {
  const found = await inChild<Leaks>('leaks.ts', [String(LEAK_CALLS)], provider, lifecycle);
  const { grownKib, resourcesBefore, resourcesAfter, subscribers, live, failures } = found;
  return [
    {
      what: `heap after ${LEAK_CALLS} calls that end in the middle`,
      figure: `${grownKib >= 0 ? '+' : ''}${grownKib.toFixed(0)} KiB`,
      bar: `≤ ${MAX.leakKib} KiB`,
      comparison: `${live} turns of live models, ${failures} failures of providers`,
      met: grownKib <= MAX.leakKib && live >= LEAK_CALLS / 4 && failures >= LEAK_CALLS / 4,
    },
    {
      what: 'timers, sockets and files that are left',
      figure: `${resourcesAfter}, ${resourcesBefore} before; ${subscribers} of the ticker`,
      bar: 'none more',
      met: resourcesAfter <= resourcesBefore && subscribers === 0,
    },
  ];
}

async function takeover(provider: Doubles, lifecycle: Lifecycle, log: Log): Promise<Verdict[]> {
  const found = await measureTakeover(provider, { lifecycle, log });
  const { calls, heldMs, audioMs, turnMs, lost, lines, cutLines, lostLines } = found;
  const slowestMs = Math.max(audioMs, turnMs);
  return [
    {
      what: `worker of ${calls} calls killed → the assistant is heard`,
      figure: `${ms(audioMs)} (held ${ms(heldMs)}, next turn ${ms(turnMs)})`,
      bar: `≤ ${MAX.takeoverMs} ms, also the turn`,
      met: lost === 0 && slowestMs <= MAX.takeoverMs,
    },
    {
      what: 'calls and turns lost by the kill',
      figure: `${lost} calls, ${lostLines} of ${lines} lines of the humans`,
      bar: 'none',
      comparison: `${cutLines} more were said, but their turn was not over: the assistant asked for them`,
      met: lost === 0 && lines > calls && lostLines === 0,
    },
  ];
}

function converse(kind: Case, provider: Doubles, lifecycle: Lifecycle): Promise<Conversations> {
  return inChild<Conversations>(
    'conversations.ts',
    [kind, String(TALKERS), String(SECONDS)],
    provider,
    lifecycle,
  );
}

/** Runs a program of `voice/` in a child process, so that nothing else uses its event loop. */
async function inChild<T>(
  program: string,
  args: string[],
  provider: Doubles | undefined,
  lifecycle: Lifecycle,
): Promise<T> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'voice', program), args, {
    execArgv: [
      '--import',
      'tsx',
      '--conditions=source',
      '--max-semi-space-size=8',
      '--heap-growing-percent=300',
      '--expose-gc',
    ],
    env: { ...process.env, BENCH_PROVIDER: JSON.stringify(provider) },
  });
  lifecycle.onStop(program, () => void child.kill());
  const [found] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${program} exited with ${code} without a result`);
    }),
  ]);
  return found as T;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.POSITIVE_INFINITY;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
