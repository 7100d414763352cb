import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { edgeMetrics, kamailio, startEdge } from '@parley/sip-edge/testing';
import { eventually, freePort } from '@parley/testkit';
import {
  callerRequest,
  expectRequest,
  expectResponse,
  pause,
  respondInside,
  type Step,
  startSipp,
} from '@parley/testkit/sip';
import type { Question, Report, WorkerSettings } from './bench-worker.ts';

// The parts of `npm run bench -- sip` with Kamailio and two workers, processes of their own: calls come in by UDP.

const WORKERS = 2;
/** A number takes 20 calls a second [sip.12]. */
const NUMBERS = Array.from({ length: 10 }, (_, n) => `+1202555010${n}`);
/** What sipp puts in its place: the next number of its file. */
const NUMBER = '[field0]';
const CALLER = '+12025550199';
const MIN_SHARE = 0.35;
const MAX_AUDIO_LOSS = 0.001;
const MAX_GAP_MS = 25;
/** More than the calls of ten seconds. */
const ROOM = 500;
const ANSWERED_WITHIN_MS = [5, 10, 20, 30, 50, 75, 100, 200, 500, 1_000, 5_000];
/** sipp sends again what is not responded to (RFC 3261, T1). */
const again = (step: Step): Step => step.replace('<send>', '<send retrans="500">');

const request = (method: string, cseq: number): Step =>
  callerRequest(method, {
    to: NUMBER,
    from: CALLER,
    cseq,
    inside: cseq > 1 || method === 'ACK',
    sdp: cseq === 1 && method === 'INVITE',
  });
const ANSWERED: readonly Step[] = [
  again(request('INVITE', 1)).replace('<send ', '<send start_rtd="1" '),
  ...[100, 180].map((status) => expectResponse(status, { optional: true })),
  expectResponse(200).replace('<recv ', '<recv rtd="1" '),
  request('ACK', 1),
];

export const hasEdge = kamailio !== undefined;

/** So many set-ups a second, each answered and hung up by the caller after `talkMs`. */
export async function setUpsByEdge(options: {
  calls: number;
  rate: number;
  talkMs: number;
}): Promise<boolean> {
  const { calls, rate, talkMs } = options;
  return withWorkers(ROOM, async ({ port, workers, numbers, edgeCpuMs }) => {
    const steps = [
      ...ANSWERED,
      pause(talkMs),
      again(request('BYE', 2)),
      expectResponse(200),
      `<ResponseTimeRepartition value="${ANSWERED_WITHIN_MS}"/>`,
    ];
    for (const worker of workers) await worker.ask('measure');
    const edgeBefore = await edgeCpuMs();
    const began = performance.now();
    const { code, stats } = await sippStats({
      steps,
      target: `127.0.0.1:${port}`,
      calls,
      rate,
      extra: numbers,
    });
    const seconds = (performance.now() - began) / 1_000;
    const reports = await Promise.all(workers.map((worker) => worker.ask('report')));
    const edgeMs = ((await edgeCpuMs()) - edgeBefore) / calls;
    const hungUp = sum(reports, ({ ends }) => ends.remote ?? 0);
    const failed = Math.max(calls - stats.succeeded, calls - hungUp);
    console.log(
      `${calls} set-ups through the edge (UDP) in ${seconds.toFixed(1)} s (${(calls / seconds).toFixed(1)} a second), ${failed} failed (bar 0), ` +
        `sipp: ${code === 0 ? 'all by its scenario' : `exit ${code}`}; to the answer p50 ${stats.withinMs(0.5)}, p99 ${stats.withinMs(0.99)}; ` +
        `${sharesOf(reports)}; CPU time each ${(sum(reports, ({ cpuMs }) => cpuMs) / calls).toFixed(2)} ms of the workers, ${edgeMs.toFixed(2)} ms of Kamailio`,
    );
    return failed === 0 && code === 0 && areShared(reports);
  });
}

/** `each` calls at once of each worker, whose audio sipp returns. */
export async function audioByEdge({ each, seconds }: { each: number; seconds: number }): Promise<boolean> {
  const calls = each * WORKERS;
  return withWorkers(each, async ({ port, workers, numbers }) => {
    const steps = [...ANSWERED, expectRequest('BYE'), respondInside(200, 'OK')];
    const peer = await startSipp({
      ...{ steps, transport: 'u1', target: `127.0.0.1:${port}`, calls, rate: 20, echoes: true },
      timeoutSeconds: seconds + 90,
      // By itself, sipp places no more at once than three seconds' worth.
      extra: ['-l', String(calls), ...numbers],
    });
    let early = '';
    void peer.exited.then(({ code, errors }) => {
      early = `; sipp has ended with ${code}: ${errors}`;
    });
    const askAll = (question: Question) => Promise.all(workers.map((worker) => worker.ask(question)));
    await eventually(
      async () => {
        const live = sum(await askAll('report'), (one) => one.live);
        if (live < calls) throw new Error(`${live} of ${calls} calls are up${early}`);
      },
      { timeoutMs: 60_000 },
    );
    // The last of them are answered.
    await sleep(1_000);
    await askAll('measure');
    await sleep(seconds * 1_000);
    const reports = await askAll('hang up');
    const { code } = await peer.exited;
    const [sent, returned] = [
      sum(reports, (one) => one.packetsSent),
      sum(reports, (one) => one.packetsReturned),
    ];
    // Some are under way at either end.
    const lost = Math.max(0, sent - returned - calls);
    const gaps = reports.map(({ gapMsP99 }) => gapMsP99);
    const cores = reports.map(({ cpuMs }) => `${(cpuMs / 10 / seconds).toFixed(0)} %`);
    console.log(
      `${calls} calls with audio through the edge for ${seconds} s, ${sharesOf(reports)}: ${sent} packets sent, ${returned} came back, ${lost} did not; ` +
        `gaps between sent packets p99 ${gaps.map((ms) => ms.toFixed(1)).join(' and ')} ms (bar ${MAX_GAP_MS}); ${cores.join(' and ')} of a core`,
    );
    const isSent = sent > calls * seconds * 45;
    return (
      code === 0 &&
      isSent &&
      areShared(reports) &&
      Math.max(...gaps) <= MAX_GAP_MS &&
      lost <= sent * MAX_AUDIO_LOSS
    );
  });
}

type Worker = { ask(question: Question): Promise<Report>; stop(): Promise<void> };
/** `numbers`: what sipp is given to call all numbers in turn. */
type Setting = { port: number; workers: Worker[]; numbers: readonly string[]; edgeCpuMs(): Promise<number> };

async function withWorkers(maxCalls: number, run: (setting: Setting) => Promise<boolean>): Promise<boolean> {
  const [port, internalPort] = [await freePort(), await freePort()];
  const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const numbersFile = join(folder, 'numbers.csv');
  await writeFile(numbersFile, ['SEQUENTIAL', ...NUMBERS.map((number) => `${number};`), ''].join('\n'));
  const edge = await startEdge({ ...own, privateNetworks: ['127.0.0.0/8'] });
  const workers = Array.from({ length: WORKERS }, (_, n) => {
    const rtpPorts = { min: 33_000 + n * 6_000, max: 38_999 + n * 6_000 };
    return startWorker({ edgeUrl: `ws://127.0.0.1:${internalPort}`, numbers: NUMBERS, maxCalls, rtpPorts });
  });
  try {
    await fetch(`http://127.0.0.1:${internalPort}/sources`, { method: 'PUT', body: '127.0.0.1' });
    await eventually(
      async () => {
        const count = (await edgeMetrics(internalPort))('edge_workers');
        if (count !== WORKERS) throw new Error(`${count} workers are registered`);
      },
      { timeoutMs: 60_000 },
    );
    return await run({ port, workers, numbers: ['-inf', numbersFile], edgeCpuMs: () => cpuMsOf(edge.pid) });
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await edge.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function startWorker(settings: WorkerSettings): Worker {
  const file = join(import.meta.dirname, 'bench-worker.ts');
  const child: ChildProcess = fork(file, [JSON.stringify(settings)], { execArgv: process.execArgv });
  return {
    ask: async (question) => {
      const answered = once(child, 'message');
      child.send(question);
      const [report] = await answered;
      return report as Report;
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.disconnect();
      const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(kill);
    },
  };
}

/** Runs sipp, and reads what it has counted. */
async function sippStats(options: {
  steps: readonly Step[];
  target: string;
  calls: number;
  rate: number;
  extra: readonly string[];
}) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const file = join(folder, 'stats.csv');
  const peer = await startSipp({
    ...options,
    transport: 'u1',
    timeoutSeconds: options.calls / options.rate + 120,
    extra: [...options.extra, '-trace_stat', '-stf', file, '-fd', '5'],
  });
  const { code } = await peer.exited;
  const [names = [], ...rows] = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split(';'));
  await rm(folder, { recursive: true, force: true });
  const count = (name: string): number => Number(rows.at(-1)?.[names.indexOf(name)] ?? Number.NaN);
  const answered = ANSWERED_WITHIN_MS.map((ms) => count(`ResponseTimeRepartition1_<${ms}`));
  const slower = count(`ResponseTimeRepartition1_>=${ANSWERED_WITHIN_MS.at(-1)}`);
  const withinMs = (share: number): string => {
    const wanted = share * (sum(answered, (one) => one) + slower);
    const upTo = (n: number): number => sum(answered.slice(0, n + 1), (one) => one);
    const found = ANSWERED_WITHIN_MS.find((_, n) => upTo(n) >= wanted);
    return found === undefined ? `over ${ANSWERED_WITHIN_MS.at(-1)} ms` : `under ${found} ms`;
  };
  return { code, stats: { succeeded: count('SuccessfulCall(C)'), withinMs } };
}

/** Of a process group. */
async function cpuMsOf(group: number): Promise<number> {
  const stats = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  // After the name, which may contain spaces: state, parent, group; ticks of 10 ms are the 12th and 13th.
  const fields = stats.map((text) => text.slice(text.lastIndexOf(')') + 2).split(' '));
  const ticks = fields
    .filter((one) => Number(one[2]) === group)
    .map((one) => Number(one[11]) + Number(one[12]));
  return sum(ticks, (one) => one) * 10;
}

function sharesOf(reports: readonly Report[]): string {
  const all = sum(reports, ({ taken }) => taken);
  const shares = reports.map(({ taken }) => `${taken} (${((100 * taken) / all).toFixed(1)} %)`);
  return `the workers had ${shares.join(' and ')} (bar ${MIN_SHARE * 100} % each)`;
}

function areShared(reports: readonly Report[]): boolean {
  const all = sum(reports, ({ taken }) => taken);
  return reports.every(({ taken }) => taken >= all * MIN_SHARE);
}

function sum<T>(values: readonly T[], pick: (value: T) => number): number {
  return values.reduce((total, value) => total + pick(value), 0);
}
