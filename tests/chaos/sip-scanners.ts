import { readFileSync } from 'node:fs';
import type { Lifecycle } from '@parley/kit/lifecycle';
import {
  CarrierDouble,
  edgeMetrics,
  kamailio,
  scan,
  startEdge,
  WorkerDouble,
} from '@parley/sip-edge/testing';
import { freePort } from '@parley/testkit';
import { runBench } from '@parley/testkit/load';

// 100,000 (COUNT) unsolicited REGISTER, INVITE and OPTIONS requests from unknown addresses over UDP, during continuous calls
// from a trunk: no call, no response, no growth. Requires Kamailio; the worker is a double that answers every call.

const COUNT = Number(process.env.COUNT ?? 100_000);
/** Requests before the measurement, until tables of addresses have reached their full size. */
const WARM_UP = Math.min(20_000, COUNT);
const MAX_GROWTH_BYTES = 1_000_000;
const MAX_GROWTH_RSS_BYTES = 8_000_000;
const CALL_EVERY_MS = 200;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  if (!kamailio) throw new Error('Kamailio is not installed');
  const [port, internalPort] = [await freePort(), await freePort()];
  const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
  const edge = await startEdge({ ...own, privateNetworks: ['127.0.0.0/8'] });
  lifecycle.onStop('edge', edge.stop);
  const worker = await WorkerDouble.connect({ url: `ws://127.0.0.1:${internalPort}` });
  const trunk = await CarrierDouble.open();
  lifecycle.onStop('trunk', () => trunk.close());
  await fetch(`http://127.0.0.1:${internalPort}/sources`, { method: 'PUT', body: trunk.address });

  let called = 0;
  const calling = setInterval(() => {
    trunk.request('INVITE', `sip:+4930@127.0.0.1:${port}`, { port });
    called += 1;
  }, CALL_EVERY_MS);
  await scan({ port, count: WARM_UP });
  const before = await state(edge.pid, internalPort);
  const result = await scan({ port, count: COUNT });
  const after = await state(edge.pid, internalPort);
  clearInterval(calling);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const calls = worker.received.filter(({ method }) => method === 'INVITE');
  const unknown = calls.filter(({ text }) => /127\.66\./.test(text)).length;
  const others = worker.received.filter(({ method }) => method && !/^(INVITE|ACK)$/.test(method)).length;
  const completed = new Set(
    trunk.received.filter((it) => it.startsWith('SIP/2.0 200')).map((it) => /Call-ID: (.*)\r/.exec(it)?.[1]),
  ).size;
  const [grownShared, grownRss] = [after.shared - before.shared, after.rss - before.rss];
  const seen = after.dropped - before.dropped;
  worker.crash();
  const verdicts: [string, boolean, string][] = [
    [
      'requests sent, and seen by the edge',
      seen === COUNT,
      `${COUNT}, ${seen} (${result.perSecond} a second)`,
    ],
    ['responses', result.answered === 0, String(result.answered)],
    ['requests that reached the worker', unknown + others === 0, String(unknown + others)],
    ['calls of the trunk meanwhile, answered', completed === called, `${called}, ${completed}`],
    ['growth of shared memory', grownShared <= MAX_GROWTH_BYTES, `${grownShared} bytes`],
    ['growth of resident memory of all processes', grownRss <= MAX_GROWTH_RSS_BYTES, `${grownRss} bytes`],
  ];
  for (const [what, isGood, found] of verdicts)
    console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${what}: ${found}`);
  return verdicts.every(([, isGood]) => isGood);
}

async function state(pid: number, internalPort: number) {
  const metric = await edgeMetrics(internalPort);
  return { dropped: metric('edge_dropped'), shared: metric('shmem_used_size'), rss: privateBytes(pid) };
}

/** Private memory of the main process and its children. */
function privateBytes(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return [pid, ...children.map(Number)].reduce((sum, one) => {
    const text = readFileSync(`/proc/${one}/smaps_rollup`, 'utf8');
    return sum + Number(/^Private_Dirty: +(\d+)/m.exec(text)?.[1] ?? 0) * 1_024;
  }, 0);
}

await runBench(bench);
