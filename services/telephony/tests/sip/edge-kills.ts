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
  startSipp,
} from '@parley/testkit/sip';
import { createFindings, isLeft, type KillFindings } from './kill-findings.ts';
import { dial, sipProcess, sipWorld, trunkAt } from './sip-process.ts';

/** Time for the worker to connect for the first time. */
const SETTLE_MS = 1_500;
const TALK_MS = 2_500;
const END_TIMEOUT_MS = 30_000;
const CALLS = 3;

const ACKNOWLEDGED = '<recv request="ACK"/>';
const ANSWERED = [expectRequest('INVITE'), respond(200, 'OK', { sdp: true }), ACKNOWLEDGED];
const BY_THEM = [...ANSWERED, pause(TALK_MS), requestInside('BYE', 1), expectResponse(200)];
const BY_US = [...ANSWERED, expectRequest('BYE'), respondInside(200, 'OK')];

/**
 * Kills the edge (Kamailio) again and again while calls of a worker to sipp are up, by UDP. Afterwards half of the calls are hung up by us, half
 * by sipp.
 */
export async function killEdge(runs: number, isTimeOver: () => boolean): Promise<KillFindings> {
  const [port, internalPort] = [await freePort(), await freePort()];
  const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
  const start = () => startEdge({ ...own, privateNetworks: ['127.0.0.0/8'] });
  let edge = await start();
  const worker = sipProcess(sipWorld(), { edgeUrls: [`ws://127.0.0.1:${internalPort}`] });
  worker.carrier.receive(async () => false, worker.lifecycle);
  await sleep(SETTLE_MS);
  const findings = createFindings();
  for (; findings.kills < runs && !isTimeOver(); findings.kills += 1) {
    const isOurs = findings.kills % 2 === 1;
    const steps = isOurs ? BY_US : BY_THEM;
    const peers = await Promise.all(
      Array.from({ length: CALLS }, () => startSipp({ transport: 'u1', steps })),
    );
    const calls = await Promise.all(peers.map((peer) => dial(worker, trunkAt(peer.port, null, 'udp'))));
    await Promise.all(calls.map((call) => call.until('answered')));
    await edge.kill();
    edge = await start();
    if (isOurs) await Promise.all(calls.map(({ reference }) => worker.carrier.hangup(reference)));
    const ends = await Promise.allSettled(calls.map((call) => call.until('ended', END_TIMEOUT_MS)));
    for (const end of ends) findings.ended(end.status === 'fulfilled' ? end.value.cause : undefined);
    for (const left of await Promise.all(peers.map(isLeft))) if (left) findings.orphans += 1;
    for (const { reference } of calls) worker.carrier.detach(reference);
  }
  await worker.stop();
  await edge.stop();
  return findings;
}
