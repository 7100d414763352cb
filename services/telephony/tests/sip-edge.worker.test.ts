import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { CarrierDouble, edgeMetrics, kamailio, type RunningEdge, startEdge } from '@parley/sip-edge/testing';
import { eventually, freePort } from '@parley/testkit';
import {
  callerRequest,
  expectRequest,
  expectResponse,
  hasSipp,
  pause,
  requestInside,
  respond,
  respondInside,
  SIPP_SDP,
  type Step,
  startSipp,
} from '@parley/testkit/sip';
import type { Context } from '../src/context.ts';
import { startWorker } from '../src/start-worker.ts';
import { type InboundNumber, inboundNumber, timelineOf } from './call-in.ts';
import { type Harness, type Json, startHarness } from './harness.ts';
import { callFrom, finished } from './place-call.ts';
import { speechOf } from './speech-doubles.ts';

const isInstalled = kamailio !== undefined && hasSipp();
if (!isInstalled)
  console.warn('Kamailio or sipp is not installed: calls of a worker through the SIP edge are skipped');

const CALLER = '+12025550199';
const GREETING = 'Welcome.';
/** Calls that each of the two workers carries at most. */
const ROOM = [1, 2] as const;

(isInstalled ? describe : describe.skip)('workers behind the SIP edge, and a trunk by UDP', () => {
  let harness: Harness;
  let edge: RunningEdge;
  let audio: Awaited<ReturnType<typeof openAudio>>;
  let port: number;
  let internalPort: number;
  let contexts: Context[];
  const workers = ROOM.map(() =>
    createLifecycle(createLogger({ service: 'test', level: 'silent' }), { deadlineMs: 5_000 }),
  );
  beforeAll(async () => {
    [port, internalPort] = [await freePort(), await freePort()];
    const own = { address: '127.0.0.1', port, internalAddress: '127.0.0.1', internalPort };
    edge = await startEdge({ ...own, privateNetworks: ['127.0.0.0/8'] });
    audio = await openAudio();
    harness = await startHarness({
      PROCESSES: 'api',
      CLOCK_RATE: '1',
      CARRIERS: 'sip',
      HOST: '127.0.0.1',
      SIP_EDGE_URL: `ws://127.0.0.1:${internalPort}`,
      RTP_PORT_MIN: '33000',
      RTP_PORT_MAX: '45000',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      MAX_AUDIO_CALLS: String(ROOM[0]),
    });
    const second = await harness.boot({ PROCESSES: 'api', MAX_AUDIO_CALLS: String(ROOM[1]) });
    contexts = [harness.context, second.context];
    await Promise.all(
      contexts.map((context, n) =>
        startWorker(context, workers[n] ?? context.lifecycle, { findSpeech: speechOf(['Hello']) }),
      ),
    );
    const metric = async (name: string) => (await edgeMetrics(internalPort))(name);
    await eventually(async () => expect(await metric('edge_workers')).toBe(2));
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop('test')));
    await harness?.close();
    await edge?.stop();
    audio?.close();
  });

  const numberAt = (trunkPort: number): Promise<InboundNumber> =>
    inboundNumber(harness, {
      agent: { config: { firstMessage: GREETING } },
      number: { termination_uri: `127.0.0.1:${trunkPort}`, transport: 'udp' },
    });
  /** sipp calls the number; `then` is what follows the INVITE. */
  const callIn = (number: InboundNumber, then: (request: Request) => readonly Step[], calls = 1) => {
    const request: Request = (method, cseq, inside = true, sdp) =>
      callerRequest(method, { to: number.phoneNumber, from: CALLER, cseq, inside, ...(sdp ? { sdp } : {}) });
    const provisional = [100, 180].map((status) => expectResponse(status, { optional: true }));
    return startSipp({
      transport: 'u1',
      target: `127.0.0.1:${port}`,
      calls,
      steps: [request('INVITE', 1, false, audio.sdp), ...provisional, ...then(request)],
    });
  };
  const callsOf = async ({ workspaceId }: InboundNumber): Promise<Json[]> =>
    (await harness.ask(workspaceId, 'POST', '/v2/call/list', { body: {} })).body.data;

  it('calls out: audio goes both ways until the trunk hangs up [sip.1] [sip.2] [sip.9]', async () => {
    // sipp takes a check of the trunk for its call: something else answers the first one, the next is a minute later.
    const answering = await CarrierDouble.open();
    const number = await numberAt(answering.port);
    answering.answer(await answering.receives(/^OPTIONS /, 20_000), '200 OK', port);
    await eventually(async () => {
      const { body } = await harness.ask(number.workspaceId, 'GET', `/v1/phone-number/${number.id}`);
      expect(body.data.trunk).toMatchObject({ registration: 'registered', health: 'up' });
    });
    answering.close();
    const trunk = await startSipp({
      transport: 'u1',
      port: answering.port,
      steps: [
        expectRequest('INVITE'),
        respond(180, 'Ringing'),
        respond(200, 'OK', { sdp: audio.sdp }),
        expectRequest('ACK'),
        pause(3_000),
        requestInside('BYE', 1),
        expectResponse(200),
      ],
    });
    const before = audio.received();
    const id = await callFrom(harness, number, CALLER, { agent_id: number.agent.agent_id });
    const call = await finished(harness, number.workspaceId, id);
    const timeline = await timelineOf(harness, number.workspaceId, id);
    const ended = timeline.find(({ type }) => type === 'ended');
    expect([call.disconnection_reason, ended?.provider_text]).toEqual(['user_hangup', 'BYE']);
    expect(timeline.find(({ type, role }) => type === 'turn' && role === 'agent').content).toBe(GREETING);
    // 50 packets a second, of which some are lost to a busy machine.
    expect(audio.received() - before).toBeGreaterThan(30);
    expect((await trunk.exited).code).toBe(0);
  });

  it('is called by its trunk, and by nobody before the edge knows it [sip.12] [sip.30]', async () => {
    const number = await numberAt(9);
    await eventually(async () => expect((await edgeMetrics(internalPort))('edge_sources')).toBe(1));
    const peer = await callIn(number, (request) => [
      expectResponse(200),
      request('ACK', 1),
      pause(1_000),
      request('BYE', 2),
      expectResponse(200),
    ]);
    expect(await peer.exited).toMatchObject({ code: 0 });
    const [call] = await eventually(async () => {
      const calls = await callsOf(number);
      expect(calls[0]).toMatchObject({ status: 'completed' });
      return calls;
    });
    expect(call).toMatchObject({ call_type: 'inbound', from_number: CALLER, to_number: number.phoneNumber });
  });

  it('spreads calls by the free capacity of the workers: what one cannot take the other takes, and then the caller gets 503 [sip.13] [sip.32]', async () => {
    const number = await numberAt(9);
    const all = ROOM[0] + ROOM[1];
    // A call keeps its place until its worker has stored its end. A full worker has left the edge.
    await eventually(async () => {
      expect(await Promise.all(contexts.map(callsCarriedBy))).toEqual([0, 0]);
      expect((await edgeMetrics(internalPort))('edge_workers')).toBe(2);
    });
    const peers = await callIn(
      number,
      (request) => [expectResponse(200), request('ACK', 1), expectRequest('BYE'), respondInside(200, 'OK')],
      all,
    );
    const live = await eventually(async () => {
      const calls = await callsOf(number);
      expect(calls.map(({ status }) => status)).toEqual(ROOM.flatMap((n) => Array(n).fill('in-progress')));
      return calls;
    });
    expect(await Promise.all(contexts.map(callsCarriedBy))).toEqual([...ROOM]);
    const onTop = await callIn(number, (request) => [expectResponse(503), request('ACK', 1, false)]);
    expect(await onTop.exited).toMatchObject({ code: 0 });
    await Promise.all(live.map(({ id }) => harness.ask(number.workspaceId, 'POST', `/v2/call/${id}/stop`)));
    expect(await peers.exited).toMatchObject({ code: 0 });
  });
});

type Request = (method: string, cseq: number, inside?: boolean, sdp?: string) => Step;

async function callsCarriedBy({ metrics }: Context): Promise<number> {
  const text = await metrics.registry.metrics();
  return Number(/^parley_worker_calls(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1]);
}

/** The end of the trunk's audio: returns what it receives. */
async function openAudio() {
  const socket: Socket = createSocket('udp4');
  let received = 0;
  socket.on('message', (data, { port, address }) => {
    received += 1;
    socket.send(data, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    sdp: SIPP_SDP.replace('[media_port]', String(port)),
    received: () => received,
    close: () => socket.close(),
  };
}
