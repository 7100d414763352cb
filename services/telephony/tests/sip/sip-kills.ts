import { setTimeout as sleep } from 'node:timers/promises';
import { startEdge } from '@parley/sip-edge/testing';
import { freePort } from '@parley/testkit';
import {
  expectRequest,
  expectResponse,
  pause,
  requestInside,
  respond,
  respondInside,
  type Sipp,
  startSipp,
} from '@parley/testkit/sip';
import { dial, sipProcess, sipWorld, trunkAt } from './sip-process.ts';

// The edge (Kamailio) is killed RUNS times (200) while CALLS (3) calls of a worker to sipp are up, by UDP: each call ends with a reason, and no
// leg is left at sipp after 30 seconds. Half of the calls are hung up by us afterwards, half by sipp.

const RUNS = Number(process.env.RUNS ?? 200);
const CALLS = Number(process.env.CALLS ?? 3);
const ORPHANED_AFTER_MS = 30_000;
/** Time for the worker to connect again. */
const SETTLE_MS = 1_500;
const TALK_MS = 3_000;

const ACKNOWLEDGED = '<recv request="ACK"/>';
const ANSWERED = [expectRequest('INVITE'), respond(200, 'OK', { sdp: true }), ACKNOWLEDGED];
const BY_THEM = [...ANSWERED, pause(TALK_MS), requestInside('BYE', 1), expectResponse(200)];
const BY_US = [...ANSWERED, expectRequest('BYE'), respondInside(200, 'OK')];

const [port, internalPort] = [await freePort(), await freePort()];
const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
const start = () => startEdge({ ...own, privateNetworks: ['127.0.0.0/8'] });
let edge = await start();
const worker = sipProcess(sipWorld(), { edgeUrls: [`ws://127.0.0.1:${internalPort}`] });
worker.carrier.receive(async () => false, worker.lifecycle);
await sleep(SETTLE_MS);

const found = { ended: 0, 'without a reason': 0, 'left at sipp': 0 };
const causes = new Map<string, number>();
for (let run = 0; run < RUNS; run += 1) {
  const isOurs = run % 2 === 1;
  const peers = await Promise.all(
    Array.from({ length: CALLS }, () => startSipp({ transport: 'u1', steps: isOurs ? BY_US : BY_THEM })),
  );
  const calls = await Promise.all(peers.map((peer) => dial(worker, trunkAt(peer.port, null, 'udp'))));
  await Promise.all(calls.map((call) => call.until('answered')));
  await edge.kill();
  edge = await start();
  await sleep(SETTLE_MS);
  if (isOurs) await Promise.all(calls.map(({ reference }) => worker.carrier.hangup(reference)));
  await Promise.all(calls.map((call) => judge(call)));
  for (const isLeft of await Promise.all(peers.map(isOrphaned))) if (isLeft) found['left at sipp'] += 1;
}
await worker.stop();
await edge.stop();
console.log(`${RUNS} kills of Kamailio with ${CALLS} calls each:`, found, Object.fromEntries(causes));
process.exit(found['without a reason'] + found['left at sipp'] === 0 ? 0 : 1);

async function judge({ until }: Awaited<ReturnType<typeof dial>>): Promise<void> {
  try {
    const { cause } = await until('ended', ORPHANED_AFTER_MS);
    found.ended += 1;
    causes.set(cause, (causes.get(cause) ?? 0) + 1);
  } catch {
    found['without a reason'] += 1;
  }
}

async function isOrphaned(peer: Sipp): Promise<boolean> {
  const over = await Promise.race([peer.exited, sleep(ORPHANED_AFTER_MS, undefined, { ref: false })]);
  if (over === undefined) await peer.stop();
  return over === undefined;
}
