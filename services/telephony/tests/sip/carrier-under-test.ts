import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll } from '@jest/globals';
import { eventually } from '@parley/testkit';
import {
  acknowledgeRefusal,
  callerRequest,
  expectRequest,
  expectResponse,
  pause,
  requestInside,
  respond,
  respondInside,
  type Sipp,
  type SippOptions,
  type Step,
} from '@parley/testkit/sip';
import type { LegSoFar } from '../../src/carriers/call-control.ts';
import { type Callee, type Caller, type CarrierUnderTest, NOTHING } from '../contracts/carrier-under-test.ts';
import { type SipProcess, sipProcess, sipWorld, trunkAt } from './sip-process.ts';
import { CALLED, wentWell } from './stage.ts';
import { ANSWERED, BYE, CANCELLED, PROVISIONAL, REINVITED } from './steps.ts';
import { type OpenTopology, openTopology, type Topology } from './topology.ts';
import { WITHOUT_KEYS } from './within-scenarios.ts';

const OWN_NUMBER = '+12025550100';
const BYE_OF_CALLEE: readonly Step[] = [requestInside('BYE', 9), expectResponse(200)];
/** Keys by INFO, in both of its forms. */
const KEYS: readonly { type: string; body: string }[] = [
  { type: 'application/dtmf-relay', body: 'Signal=5\nDuration=160' },
  { type: 'application/dtmf', body: '#' },
];
const ECHO_SSRC = 1;
const SSRC_OFFSET = 8;
const EXPECTED_KEY: readonly Step[] = [expectRequest('INFO'), respondInside(200, 'OK')];
const GONE: readonly Step[] = [
  expectRequest('INVITE'),
  respondInside(481, 'Call Does Not Exist'),
  expectRequest('ACK'),
];
/** The trunk connects the target of a REFER, or could not. */
const referred = (result: string): Step[] => [
  expectRequest('REFER'),
  respondInside(202, 'Accepted'),
  requestInside('NOTIFY', 1, {
    headers: ['Event: refer', 'Subscription-State: active;expires=60'],
    type: 'message/sipfrag;version=2.0',
    body: `SIP/2.0 ${result}`,
  }),
  expectResponse(200),
];

/** The audio of a far end that repeats what it hears, as a stream of its own: ours, looped back, would be ignored. */
async function openEcho(): Promise<{ port: number; close(): void }> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (packet, { port, address }) => {
    packet.writeUInt32BE(ECHO_SSRC, SSRC_OFFSET);
    socket.send(packet, port, address);
  });
  return { port: socket.address().port, close: () => void socket.close() };
}

/** What sipp does when it calls. */
function stepsOf(from: string) {
  const ends = { to: CALLED, from };
  const invite = callerRequest('INVITE', { ...ends, cseq: 1, sdp: true });
  const calls = [
    ...[invite, ...PROVISIONAL, expectResponse(200)],
    callerRequest('ACK', { ...ends, cseq: 1, inside: true }),
  ];
  const cancel = callerRequest('CANCEL', { ...ends, cseq: 1 }).replace(/Via: .*/, '[last_Via:]');
  const cancelled = [cancel, expectResponse(200), expectResponse(487), acknowledgeRefusal(1, CALLED)];
  return {
    waits: [...calls, ...BYE],
    moves: [...calls, ...REINVITED, ...BYE],
    isLeft: [...calls, ...BYE, ...GONE],
    isDeclined: [invite, ...PROVISIONAL, expectResponse(480), acknowledgeRefusal(1, CALLED)],
    givesUp: [invite, expectResponse(100, { optional: true }), expectResponse(180), ...cancelled],
    givesUpUntaken: [invite, expectResponse(100), pause(200), ...cancelled],
    hangsUp: [
      ...calls,
      pause(300),
      callerRequest('BYE', { ...ends, cseq: 9, inside: true }),
      expectResponse(200),
    ],
    pressesKeys: [
      ...calls,
      ...KEYS.flatMap((key, n) => [
        callerRequest('INFO', { ...ends, ...key, cseq: 2 + n, inside: true }),
        expectResponse(200),
      ]),
      ...[callerRequest('BYE', { ...ends, cseq: 9, inside: true }), expectResponse(200)],
    ],
  };
}

/** The SIP carrier in two processes, and sipp as their far end, in one topology. */
export function sipUnderTest(topology: Topology): CarrierUnderTest {
  const world = sipWorld();
  const peers: Sipp[] = [];
  let opened: OpenTopology;
  let here: SipProcess;
  let other: SipProcess;
  beforeAll(async () => {
    opened = await openTopology(topology);
    const { transport, settings, calledSettings } = opened;
    here = sipProcess(world, { ...settings, ...calledSettings });
    other = sipProcess(world, settings);
    const trunk = { host: '127.0.0.1', port: null, transport, credentials: null };
    world.numbers = [
      { numberId: 'number', workspaceId: 'workspace', phoneNumber: CALLED, isActive: true, trunk },
    ];
  });
  afterAll(async () => {
    await Promise.all(peers.map((peer) => peer.stop()));
    await Promise.all([here?.stop(), other?.stop()]);
    await opened?.close();
  });

  const sipp = async ({ steps, ...options }: SippOptions): Promise<Sipp> => {
    const echo = await openEcho();
    const described = steps.map((step) => step.replaceAll('[media_port]', String(echo.port)));
    const peer = await opened.sipp({ timeoutSeconds: 40, ...options, steps: described });
    void peer.exited.then(echo.close);
    peers.push(peer);
    return peer;
  };
  const callee =
    (steps: readonly Step[], { moves = false } = {}) =>
    async (): Promise<Callee> => {
      const peer = await sipp({ steps });
      const relay = moves ? await opened.relay(peer.port) : undefined;
      void peer.exited.then(() => relay?.close());
      const connection = trunkAt(relay?.port ?? peer.port, null, opened.transport);
      world.own = { number: OWN_NUMBER, connection };
      const ends = { to: '+12025550199', from: OWN_NUMBER, destination: '+12025550188' };
      return { ...ends, connection, done: () => wentWell(peer) };
    };
  const caller =
    (does: keyof ReturnType<typeof stepsOf>) =>
    async (from: string): Promise<Caller> => {
      await opened.ready();
      const steps = stepsOf(from)[does];
      const peer = await sipp({ steps, target: `127.0.0.1:${opened.port}` });
      return { done: () => wentWell(peer) };
    };

  const moves = { moves: true };
  return {
    carrier: () => here.carrier,
    other: () => other.carrier,
    capabilities: { transfer: true, takeover: 'reattach', media: 'audio', endsSilentLegs: true },
    pressesKeys: true,
    // Without an edge the trunk itself tries another server.
    offers: topology === 'edge' ? 'to any process' : 'to one process',
    endOfGoneLeg: 'remote',
    soFar: (reference) =>
      eventually((): LegSoFar => {
        const state = world.states.get(reference) as { leg: { phase: string } } | undefined;
        if (state?.leg.phase !== 'established') throw new Error('the answer is not stored');
        return { ...NOTHING, state };
      }),
    callees: {
      answers: callee([...ANSWERED, ...BYE]),
      isBusy: callee([expectRequest('INVITE'), respond(486, 'Busy Here'), expectRequest('ACK')]),
      rings: callee([expectRequest('INVITE'), respond(180, 'Ringing'), ...CANCELLED]),
      hangsUp: callee([...ANSWERED, pause(300), ...BYE_OF_CALLEE]),
      moves: callee([...ANSWERED, ...REINVITED, ...BYE], moves),
      isLeft: callee([...ANSWERED, ...BYE, ...GONE], moves),
      isTransferred: callee([...ANSWERED, ...referred('200 OK'), ...BYE]),
      isNotTransferred: callee([...ANSWERED, ...referred('486 Busy Here'), ...BYE]),
      pressesKeys: callee([
        ...ANSWERED,
        ...KEYS.flatMap((key, n) => [requestInside('INFO', 1 + n, key), expectResponse(200)]),
        ...BYE_OF_CALLEE,
      ]),
      expectsKeys: callee([
        ...[expectRequest('INVITE'), respond(200, 'OK', { sdp: WITHOUT_KEYS }), expectRequest('ACK')],
        ...[...EXPECTED_KEY, ...EXPECTED_KEY, ...BYE],
      ]),
      talks: callee([...ANSWERED, ...BYE]),
      talksAndMoves: callee([...ANSWERED, ...REINVITED, ...BYE], moves),
    },
    callers: {
      waits: caller('waits'),
      givesUp: caller('givesUp'),
      givesUpUntaken: caller('givesUpUntaken'),
      hangsUp: caller('hangsUp'),
      isDeclined: caller('isDeclined'),
      pressesKeys: caller('pressesKeys'),
      talks: caller('waits'),
      // sipp accepts no connection of a call that it makes.
      ...(topology === 'edge' ? { moves: caller('moves'), isLeft: caller('isLeft') } : {}),
    },
  };
}
