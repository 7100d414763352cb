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
  type Step,
  startSipp,
} from '@parley/testkit/sip';
import { createFindings, endAt, type KillFindings, killRepeatedly } from './kill-findings.ts';
import { dial, sipProcess, sipWorld, trunkAt } from './sip-process.ts';

/** Time for the worker to connect for the first time. */
const SETTLE_MS = 1_500;
const TALK_MS = 2_500;
const ACK_MS = 300;
const END_TIMEOUT_MS = 30_000;
const CALLS = 3;

/** By UDP what is not responded to is sent again (RFC 3261, T1): it may have been lost with the edge. */
const again = (step: Step): Step => step.replace('<send>', '<send retrans="500">');
const ANSWERED = [expectRequest('INVITE'), again(respond(200, 'OK', { sdp: true })), '<recv request="ACK"/>'];
const BY_THEM = [...ANSWERED, pause(TALK_MS), again(requestInside('BYE', 1)), expectResponse(200)];
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
  await killRepeatedly(findings, { runs, isTimeOver }, async () => {
    const isOurs = findings.kills % 2 === 1;
    const peers = await Promise.all(
      Array.from({ length: CALLS }, () => startSipp({ transport: 'u1', steps: isOurs ? BY_US : BY_THEM })),
    );
    const calls = await Promise.all(peers.map((peer) => dial(worker, trunkAt(peer.port, null, 'udp'))));
    await Promise.all(calls.map((call) => call.until('answered')));
    // The ACK is at sipp: a response that is repeated after a restart belongs to no transaction of the edge, which drops it.
    await sleep(ACK_MS);
    await edge.kill();
    const killedAtMs = performance.now();
    edge = await start();
    findings.moving += CALLS;
    if (isOurs) await Promise.all(calls.map(({ reference }) => worker.carrier.hangup(reference)));
    await Promise.all(
      calls.map(async (call, n) => {
        const ended = await call.until('ended', END_TIMEOUT_MS).catch(() => undefined);
        const tookMs = performance.now() - killedAtMs;
        findings.ended(ended?.cause);
        const end = peers[n] ? await endAt(peers[n]) : 'left';
        // The BYE of either side has reached the other one, by the new edge.
        if (end === 'as it should' && ended?.cause === (isOurs ? 'local' : 'remote'))
          findings.continuedMs.push(tookMs);
        else if (ended) findings.endedInstead += 1;
        else findings.stuck += 1;
        if (end === 'left') findings.orphans += 1;
        worker.carrier.detach(call.reference);
      }),
    );
  });
  await worker.stop();
  await edge.stop();
  return findings;
}
