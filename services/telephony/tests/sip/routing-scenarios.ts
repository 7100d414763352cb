import assert from 'node:assert/strict';
import {
  ANSWERS,
  expectRequest,
  expectResponse,
  requestInside,
  respond,
  respondInside,
  respondToInvite,
  SIPP_SDP,
  type Step,
} from '@parley/testkit/sip';
import { dial } from './sip-process.ts';
import { matches, outbound, type Scenario, type Stage, wentWell } from './stage.ts';
import { ANSWERED } from './steps.ts';
import { NAMED_TRUNK } from './topology.ts';

const REFUSED_PORT = 9;
const BYE_OF_THEM = (cseq: number): readonly Step[] => [requestInside('BYE', cseq), expectResponse(200)];
const failing = (status: number, reason: string): readonly Step[] => [
  expectRequest('INVITE'),
  respond(status, reason),
  expectRequest('ACK'),
];
/** A response whose body says this. */
const accepted = (text: string): Step =>
  `<recv response="200" rrs="true"><action><ereg regexp="${text}" search_in="body" check_it="true" assign_to="said"/><log message="[$said]"/></action></recv>`;

/** Calls a trunk whose name has servers at these ports, best first. */
async function dialServers(stage: Stage, ports: readonly number[]) {
  const { here, world } = stage;
  world.servers = ports.map((port, n) => ({ name: '127.0.0.1', port, priority: n, weight: 0 }));
  return dial(here, { ...stage.trunk(0), terminationUri: NAMED_TRUNK });
}

const redirected = (name: string, contact: string, isFollowed: boolean, isCore: boolean): Scenario =>
  outbound(
    name,
    {
      steps: [
        expectRequest('INVITE'),
        respond(302, 'Moved Temporarily', { headers: [`Contact: <${contact}>`] }),
        expectRequest('ACK'),
        ...(isFollowed ? ANSWERS.slice(0, 1).concat(ANSWERS.slice(2)) : []),
      ],
      ends: isFollowed ? { cause: 'local' } : { cause: 'refused', answeredAt: null },
      ...(isFollowed
        ? {
            act: async (call, { here }) => {
              await call.until('answered');
              await here.carrier.hangup(call.reference);
            },
          }
        : {}),
    },
    isCore,
  );

/** Where the messages of a call go, and what changes within it. */
export const ROUTING: readonly Scenario[] = [
  {
    name: 'a trunk with several servers: those that refuse the connection or respond 503 are passed over',
    isCore: true,
    run: async (stage) => {
      const [first, second] = [
        await stage.sipp({ steps: failing(503, 'Service Unavailable') }),
        await stage.sipp({ steps: ANSWERS }),
      ];
      const call = await dialServers(stage, [REFUSED_PORT, first.port, second.port]);
      await call.until('media');
      await stage.here.carrier.hangup(call.reference);
      matches(await call.until('ended'), { cause: 'local' });
      await Promise.all([wentWell(first), wentWell(second)]);
    },
  },
  {
    name: 'a trunk with several servers: an answer of one, even busy, is the answer',
    isCore: true,
    run: async (stage) => {
      const first = await stage.sipp({ steps: failing(486, 'Busy Here') });
      const second = await stage.sipp({ steps: ANSWERS });
      const call = await dialServers(stage, [first.port, second.port]);
      matches(await call.until('ended'), { cause: 'busy' });
      await wentWell(first);
      const invites = stage.here.trace.filter(
        ({ callId, message }) => callId === call.reference && message.startsWith('INVITE'),
      );
      assert.equal(invites.length, 1);
    },
  },
  {
    name: 'a trunk with several servers is up if one of them is, which its calls take [sip.35]',
    isCore: true,
    run: async ({ here, world, sipp, transport }) => {
      const options = (status: number, reason: string): readonly Step[] => [
        expectRequest('OPTIONS'),
        respond(status, reason),
      ];
      const [busy, up] = [
        await sipp({ steps: options(503, 'Service Unavailable') }),
        await sipp({ steps: options(200, 'OK') }),
      ];
      const ping = (...ports: number[]) => {
        world.servers = ports.map((port, n) => ({ name: '127.0.0.1', port, priority: n, weight: 0 }));
        return here.carrier.ping({
          host: NAMED_TRUNK,
          port: null,
          transport,
          credentials: null,
        });
      };
      matches(await ping(busy.port, REFUSED_PORT, up.port), { isReachable: true, status: 200 });
      await Promise.all([wentWell(busy), wentWell(up)]);
      matches(await ping(REFUSED_PORT, busy.port), { isReachable: false, status: null });
    },
  },
  {
    name: 'a trunk with several servers, all of which fail',
    isCore: true,
    run: async (stage) => {
      const peers = [
        await stage.sipp({ steps: failing(503, 'Service Unavailable') }),
        await stage.sipp({ steps: failing(503, 'Service Unavailable') }),
      ];
      const call = await dialServers(
        stage,
        peers.map(({ port }) => port),
      );
      const { cause, provider } = await call.until('ended');
      assert.deepEqual([cause, provider?.code], ['transient', '503']);
      await Promise.all(peers.map(wentWell));
    },
  },
  {
    name: 'a server that does not respond for 32 seconds is passed over',
    isCore: false,
    run: async (stage) => {
      const first = await stage.sipp({ steps: [expectRequest('INVITE')] });
      const second = await stage.sipp({ steps: ANSWERS, timeoutSeconds: 60 });
      const call = await dialServers(stage, [first.port, second.port]);
      await call.until('media', 45_000);
      await stage.here.carrier.hangup(call.reference);
      await wentWell(second);
    },
  },
  redirected(
    'a redirect within the trunk and to the same number is followed',
    'sip:+12025550199;npdi@127.0.0.1:[local_port];transport=[transport]',
    true,
    true,
  ),
  redirected(
    'a redirect within the trunk to another number is not followed',
    'sip:+12025550666@127.0.0.1:[local_port];transport=[transport]',
    false,
    true,
  ),
  redirected(
    'a redirect to another port of the same host is not followed',
    'sip:+12025550199@127.0.0.1:9;transport=[transport]',
    false,
    false,
  ),
  outbound(
    'UPDATE refreshes the session, holds the call, and is refused without a common codec or out of order',
    {
      steps: [
        ...ANSWERED,
        requestInside('UPDATE', 1, { headers: ['Session-Expires: 600;refresher=uac', 'Supported: timer'] }),
        `<recv response="200" rrs="true"><action><ereg regexp="600;refresher=uac" search_in="hdr" header="Session-Expires:" check_it="true" assign_to="terms"/><log message="[$terms]"/></action></recv>`,
        requestInside('UPDATE', 2, { sdp: `${SIPP_SDP}\na=sendonly` }),
        accepted('a=recvonly'),
        requestInside('UPDATE', 3, {
          sdp: SIPP_SDP.replace('0 101', '3').replace('rtpmap:0 PCMU', 'rtpmap:3 GSM'),
        }),
        expectResponse(488),
        requestInside('UPDATE', 2),
        expectResponse(500),
        requestInside('UPDATE', 4, { sdp: true }),
        accepted('a=sendrecv'),
        ...BYE_OF_THEM(5),
      ],
      ends: { cause: 'remote' },
    },
    true,
  ),
  outbound(
    'UPDATE before the answer',
    {
      steps: [
        expectRequest('INVITE'),
        respond(183, 'Session Progress', { sdp: true }),
        requestInside('UPDATE', 1),
        expectResponse(200),
        respondToInvite(200, 'OK', { sdp: true }),
        expectRequest('ACK'),
        expectRequest('BYE'),
        respondInside(200, 'OK'),
      ],
      ends: { cause: 'local' },
      act: async (call, { here }) => {
        await call.until('answered');
        await here.carrier.hangup(call.reference);
      },
    },
    false,
  ),
];
