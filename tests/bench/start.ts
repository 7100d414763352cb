import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  anyFreePort,
  formatMs,
  inStack,
  Problem,
  processesOf,
  ROOT,
  readJsonFile,
  SERVICES,
} from '@parley/devstack';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench } from '@parley/testkit/load';
import { z } from 'zod';

// `npm start` without any configuration of voice: time until it is ready, from what is built and with databases that exist, and the memory
// of its services when they have been idle for BENCH_IDLE_SECONDS (20). Uses the stack of this folder (`.stack`), which must not
// be running, and starts it twice: the first time creates what is missing. Linux only.

const IDLE_SECONDS = Number(process.env.BENCH_IDLE_SECONDS ?? 20);
const MAX = { readyMs: 15_000, idleMib: 560 };
const READY_WITHIN_MS = 300_000;
const RUN = join(ROOT, 'packages/devstack/run.mjs');
const READY = 'Parley is ready at';
/** What an operator sets for voice, and what would start more than `npm start` does. */
const UNSET = /^(SPEECH_|LIVE_MODELS|OPENAI_|SIMULATOR_|CARRIERS|SIP_|WEB_|CLOCK_|PARLEY_SIP)/;
const MIB = 1_024;

const pidFile = z.object({ pid: z.number() });

type Memory = { name: string; pssKib: number; rssKib: number; addons: string[] };
type Verdict = { what: string; figure: string; bar: string; comparison?: string; met: boolean };

await runBench(async (lifecycle: Lifecycle): Promise<boolean> => {
  await built(lifecycle);
  const first = await start(lifecycle);
  await first.stop();
  const { readyMs, stop } = await start(lifecycle);
  await sleep(IDLE_SECONDS * 1_000, undefined, { signal: lifecycle.signal });
  const memories = SERVICES.flatMap((service) => processesOf(service, {})).map(({ name, main }) =>
    memoryOf(name, main),
  );
  await stop();
  const verdicts = [ready(readyMs, first.readyMs), idle(memories), addons(memories)];
  for (const { what, figure, bar, comparison, met } of verdicts)
    console.log(
      `${what.padEnd(46)} ${figure.padEnd(34)} bar ${bar.padEnd(24)} ${met ? 'met' : 'MISSED'}${comparison ? `  (${comparison})` : ''}`,
    );
  return verdicts.every(({ met }) => met);
});

function ready(readyMs: number, firstMs: number): Verdict {
  return {
    what: '`npm start` → ready, from what is built',
    figure: formatMs(readyMs),
    bar: `≤ ${formatMs(MAX.readyMs)}`,
    comparison: `the start before it, which creates what is missing: ${formatMs(firstMs)}`,
    met: readyMs <= MAX.readyMs,
  };
}

function idle(memories: readonly Memory[]): Verdict {
  const mib = (of: (memory: Memory) => number): number =>
    memories.reduce((sum, memory) => sum + of(memory), 0) / MIB;
  const pss = mib(({ pssKib }) => pssKib);
  const each = memories.map(({ name, pssKib }) => `${name} ${(pssKib / MIB).toFixed(0)}`).join(', ');
  return {
    what: `memory of ${memories.length} processes, idle for ${IDLE_SECONDS} s`,
    figure: `${pss.toFixed(0)} MiB (RSS ${mib(({ rssKib }) => rssKib).toFixed(0)} MiB)`,
    bar: `≤ ${MAX.idleMib} MiB`,
    comparison: each,
    met: pss <= MAX.idleMib,
  };
}

function addons(memories: readonly Memory[]): Verdict {
  const found = memories.flatMap(({ name, addons: loaded }) => loaded.map((file) => `${name}: ${file}`));
  return {
    what: 'native add-ons that these processes have loaded',
    figure: found.length === 0 ? 'none' : found.join(', '),
    bar: 'none',
    met: found.length === 0,
  };
}

async function built(lifecycle: Lifecycle): Promise<void> {
  const build = spawn(process.execPath, [RUN, 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  lifecycle.onStop('build', () => void build.kill());
  const [code] = await once(build, 'exit');
  if (code !== 0) throw new Problem(`The build failed with ${code}`);
}

type Started = { readyMs: number; stop(): Promise<void> };

/** Starts the platform as a person would, at a free port. */
async function start(lifecycle: Lifecycle): Promise<Started> {
  const given = Object.entries(process.env).filter(([name]) => !UNSET.test(name));
  const env = { ...Object.fromEntries(given), GATEWAY_PORT: String(await anyFreePort()), LOG_LEVEL: 'info' };
  const beganMs = performance.now();
  const child = spawn(process.execPath, [RUN, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGINT');
    await gone;
  };
  lifecycle.onStop('npm start', stop);
  await untilReady(child);
  return { readyMs: performance.now() - beganMs, stop };
}

async function untilReady(child: ChildProcess): Promise<void> {
  const lines: string[] = [];
  const timer = setTimeout(() => child.kill('SIGINT'), READY_WITHIN_MS);
  try {
    if (!child.stdout) throw new Error('its output is a pipe');
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (line.startsWith(READY)) return;
    }
    throw new Problem(`Parley did not start:\n${lines.slice(-20).join('\n')}`);
  } finally {
    clearTimeout(timer);
    child.stdout?.resume();
  }
}

/** PSS counts a page that several processes share, such as Node's own code, once in all. */
function memoryOf(name: string, main: string): Memory {
  const pid = readJsonFile(inStack('pids', `${name}.json`), pidFile)?.pid;
  if (pid === undefined || !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(main))
    throw new Problem(`The process ${name} is not running`);
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kib = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]);
  const files = readFileSync(`/proc/${pid}/maps`, 'utf8').matchAll(/\s(\/\S+\.node)$/gm);
  const loaded = new Set([...files].map(([, file]) => file ?? ''));
  return { name, pssKib: kib('Pss'), rssKib: kib('Rss'), addons: [...loaded] };
}
