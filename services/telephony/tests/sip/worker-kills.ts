import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createG722Codec } from '@parley/media';
import {
  expectRequest,
  respond,
  respondInside,
  SIPP_SDP,
  type Sipp,
  type Step,
  startSipp,
} from '@parley/testkit/sip';
import { timelineOf } from '../call-in.ts';
import { type Harness, startHarness } from '../harness.ts';
import { callFrom, connectNumber, readCall } from '../place-call.ts';
import { type WorkerProcess, workerProcess } from '../worker-process.ts';
import { createFindings, endAt, type KillFindings, killRepeatedly } from './kill-findings.ts';
import { openRelay } from './relay.ts';

const WORKERS = 2;
const CALLS = 2;
const FRAMES = 50;
const FRAME_SAMPLES = 320;
/** Wideband, which the embedded recognition supports. */
const WIDEBAND = SIPP_SDP.replace('0 101', '9 101').replace('rtpmap:0 PCMU', 'rtpmap:9 G722');
/** By then a call goes on in another worker or has ended with a reason. */
const MOVE_TIMEOUT_MS = 15_000;

/** Answers, speaks, agrees to every re-INVITE, and waits to be hung up. */
const stepsOf = (audio: string): Step[] => [
  expectRequest('INVITE'),
  respond(200, 'OK', { sdp: WIDEBAND }),
  expectRequest('ACK'),
  `<nop><action><exec rtp_stream="${audio},-1,9,G722/8000"/></action></nop>`,
  '<label id="1"/>',
  expectRequest('INVITE', { optional: true, next: 2 }),
  expectRequest('BYE'),
  respondInside(200, 'OK'),
  '<nop next="3"/>',
  '<label id="2"/>',
  respondInside(200, 'OK', { sdp: WIDEBAND }),
  expectRequest('ACK'),
  '<nop next="1"/>',
  '<label id="3"/>',
  '<nop/>',
];

type Call = { id: string; workspaceId: string; peer: Sipp };

/**
 * Kills workers (processes of their own, with a database and a broker) again and again while they carry calls with audio to sipp by TCP. Another
 * worker is there each time; afterwards the calls are stopped.
 */
export async function killWorkers(runs: number, isTimeOver: () => boolean): Promise<KillFindings> {
  const harness = await startHarness({
    PROCESSES: 'api',
    CLOCK_RATE: '1',
    CARRIERS: 'sip',
    HOST: '127.0.0.1',
    RTP_PORT_MIN: '33000',
    RTP_PORT_MAX: '45000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  });
  const folder = await mkdtemp(join(tmpdir(), 'parley-kills-'));
  const audio = join(folder, 'silence.g722');
  await writeFile(audio, silence());
  const findings = createFindings();
  const workers: WorkerProcess[] = [];
  try {
    await killRepeatedly(findings, { runs, isTimeOver }, () => killOne(harness, workers, audio, findings));
  } finally {
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  }
  return findings;
}

async function killOne(
  harness: Harness,
  workers: WorkerProcess[],
  audio: string,
  findings: KillFindings,
): Promise<void> {
  while (workers.length < WORKERS) workers.push(await workerProcess(harness));
  const calls = await Promise.all(Array.from({ length: CALLS }, () => placeCall(harness, audio)));
  const holders = await holdersOf(harness, calls);
  const victim = workers.find(({ workerId }) => workerId === holders[0]);
  if (!victim) throw new Error(`no worker of ours holds the call: ${holders}`);
  const moving = calls.filter((_, n) => holders[n] === victim.workerId);
  await victim.kill('SIGKILL');
  const killedAtMs = performance.now();
  workers.splice(workers.indexOf(victim), 1);
  const replacement = workerProcess(harness);
  // Awaited below.
  replacement.catch(() => {});
  findings.moving += moving.length;
  await Promise.all(
    moving.map(async (call) => {
      const fate = await fateOf(harness, call, victim.workerId);
      if (fate === 'continued') findings.continuedMs.push(performance.now() - killedAtMs);
      else if (fate === 'ended') findings.endedInstead += 1;
      else findings.stuck += 1;
    }),
  );
  await Promise.all(
    calls.map(async ({ id, workspaceId, peer }) => {
      await harness.ask(workspaceId, 'POST', `/v2/call/${id}/stop`);
      if ((await endAt(peer)) === 'left') findings.orphans += 1;
      findings.ended(await reasonOf(harness, workspaceId, id));
    }),
  );
  workers.push(await replacement);
}

async function placeCall(harness: Harness, audio: string): Promise<Call> {
  const peer = await startSipp({ steps: stepsOf(audio), timeoutSeconds: 120 });
  const relay = await openRelay(peer.port);
  void peer.exited.then(relay.close);
  const trunk = { termination_uri: `127.0.0.1:${relay.port}`, transport: 'tcp' };
  const number = await connectNumber(harness, { number: trunk, settings: { silenceTimeout: 300 } });
  const { workspaceId } = number;
  const id = await callFrom(harness, number, '+12025550199');
  const call = { id, workspaceId, peer };
  await isUp(harness, call);
  // The state is stored after the answer.
  await sleep(300);
  return call;
}

/** Rejects with all that is known of a call that was not answered. */
async function isUp(harness: Harness, { id, workspaceId, peer }: Call): Promise<void> {
  const givesUpAt = performance.now() + 60_000;
  for (;;) {
    const { status, disconnection_reason: reason } = await readCall(harness, workspaceId, id);
    if (status === 'in-progress') return;
    if (status === 'completed' || performance.now() > givesUpAt) {
      const trace = (await harness.callAsService(workspaceId, 'GET', `/internal/calls/${id}/sip-trace`)).body;
      const timeline = await timelineOf(harness, workspaceId, id);
      await peer.stop();
      const { errors } = await peer.exited;
      throw new Error(
        `call ${id} is ${status}: ${reason}\n${JSON.stringify({ timeline, trace: trace?.data }, null, 1)}\nsipp: ${errors}`,
      );
    }
    await sleep(50);
  }
}

async function holdersOf(harness: Harness, calls: readonly Call[]): Promise<string[]> {
  const rows = await harness.sql.$queryRaw<{ id: string; worker: string }[]>`
    SELECT id::text, worker_id::text AS worker FROM calls WHERE status <> 'completed'`;
  return calls.map(({ id }) => rows.find((row) => row.id === id)?.worker ?? '');
}

/**
 * `continued`: the far end has agreed to send its audio to another worker; `ended`: the call has a reason, which nothing but the platform gave
 * it; `stuck`: neither in time.
 */
async function fateOf(
  harness: Harness,
  { id, workspaceId }: Call,
  from: string,
): Promise<'continued' | 'ended' | 'stuck'> {
  const givesUpAt = performance.now() + MOVE_TIMEOUT_MS;
  while (performance.now() < givesUpAt) {
    const { status, disconnection_reason: reason } = await readCall(harness, workspaceId, id);
    if (status === 'completed' && reason !== null) return 'ended';
    const rows = await harness.sql.$queryRaw<{ worker: string; cseq: number }[]>`
      SELECT worker_id::text AS worker, (carrier_state->'leg'->'dialog'->>'localCseq')::int AS cseq FROM calls
      WHERE id = ${id}::uuid`;
    // The re-INVITE of another worker has a number that is a hundred higher, which is stored with its answer.
    if (rows[0] && rows[0].worker !== from && rows[0].cseq > 100) return 'continued';
    await sleep(100);
  }
  return 'stuck';
}

function silence(): Buffer {
  const codec = createG722Codec();
  const frames = Array.from({ length: FRAMES }, () => codec.encode(new Int16Array(FRAME_SAMPLES)));
  codec.close();
  return Buffer.concat(frames);
}

/** Undefined: the call has none after 30 seconds. It is stored after the leg has ended at sipp. */
async function reasonOf(harness: Harness, workspaceId: string, id: string): Promise<string | undefined> {
  const givesUpAt = performance.now() + 30_000;
  for (;;) {
    const { disconnection_reason: reason } = await readCall(harness, workspaceId, id);
    if (reason !== null || performance.now() > givesUpAt) return reason ?? undefined;
    await sleep(100);
  }
}
