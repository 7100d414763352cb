import assert from 'node:assert/strict';
import { eventually } from '@parley/testkit';
import {
  acknowledgeRefusal,
  callerRequest,
  expectRequest,
  expectResponse,
  pause,
  respondInside,
  SIPP_SDP,
  type Step,
} from '@parley/testkit/sip';
import { CALLED, CALLER, CREDENTIALS, inbound, matches, type Scenario } from './stage.ts';
import { ack, CALLS, ENDS, invite, PROVISIONAL } from './steps.ts';

/** Of a trunk that is elsewhere: sipp is a stranger by its address. */
const ELSEWHERE = '127.9.9.9';
const ackRefusal = (cseq = 1): Step => acknowledgeRefusal(cseq, CALLED);
const byeOfCaller: readonly Step[] = [
  callerRequest('BYE', { ...ENDS, cseq: 9, inside: true }),
  expectResponse(200),
];
const GSM_ONLY =
  'v=0\no=- 1 1 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 4000 RTP/AVP 3\na=rtpmap:3 GSM/8000';
const KEY = Buffer.alloc(30, 7).toString('base64');
const declined = (status: number): Step[] => [invite(), ...PROVISIONAL, expectResponse(status), ackRefusal()];

/** A challenge that says nothing of the number. */
const CHALLENGED: readonly Step[] = [
  expectResponse(100, { optional: true }),
  `<recv response="401" auth="true"><action>
  <ereg regexp="Digest realm=.parley., nonce=" search_in="hdr" header="WWW-Authenticate:" check_it="true" assign_to="asked"/>
  <log message="[$asked]"/></action></recv>`,
  ackRefusal(1),
];

/** Calls of trunks and strangers to our numbers. */
export const INBOUND: readonly Scenario[] = [
  inbound(
    'a call from the address of the trunk is answered, and hung up by the caller',
    {
      steps: [...CALLS, pause(100), ...byeOfCaller],
      act: async ({ reference, until, events }, { here }) => {
        await until('ringing');
        await here.carrier.answer(reference);
        await here.carrier.answer(reference);
        await until('media');
        matches(await until('ended'), { cause: 'remote', legId: `call-${reference}` });
        assert.equal(events.filter(({ type }) => type === 'answered').length, 1);
      },
    },
    true,
  ),
  inbound(
    'a call that proves the credentials of the trunk is taken',
    {
      host: ELSEWHERE,
      credentials: CREDENTIALS,
      steps: [
        invite(),
        ...CHALLENGED,
        invite({ headers: ['[authentication username=alice password=wonderland]'] }, 2),
        ...PROVISIONAL,
        expectResponse(200),
        ack(2),
        ...byeOfCaller,
      ],
      act: async ({ reference, until }, { here }) => {
        await here.carrier.answer(reference);
        matches(await until('ended'), { cause: 'remote' });
      },
    },
    true,
  ),
  inbound(
    'wrong credentials are refused, even from an address of the trunk',
    {
      credentials: CREDENTIALS,
      isOffered: false,
      steps: [
        invite(),
        ...CHALLENGED,
        invite({ headers: ['[authentication username=alice password=other]'] }, 2),
        expectResponse(100, { optional: true }),
        expectResponse(403),
        ackRefusal(2),
      ],
    },
    true,
  ),
  inbound(
    'a stranger is challenged alike, whether the number exists or not',
    {
      host: ELSEWHERE,
      isOffered: false,
      steps: [
        invite(),
        ...CHALLENGED,
        callerRequest('INVITE', { to: '+12025559999', from: CALLER, cseq: 2, sdp: true }),
        expectResponse(100, { optional: true }),
        expectResponse(401),
        ackRefusal(2),
      ],
    },
    true,
  ),
  inbound(
    'a call that we decline gets 480',
    {
      steps: declined(480),
      act: async ({ reference, until }, { here }) => {
        await here.carrier.reject(reference);
        matches(await until('ended'), { cause: 'rejected', answeredAt: null });
        await here.carrier.answer(reference);
      },
    },
    true,
  ),
  inbound('a worker without capacity responds 503', { takes: false, steps: declined(503) }, true),
  inbound(
    'a call without a description gets our offer, and has audio once its acknowledgement has come',
    {
      steps: [
        invite({ sdp: false }),
        ...PROVISIONAL,
        expectResponse(200),
        pause(300),
        ack(1, { sdp: true }),
        pause(300),
        ...byeOfCaller,
      ],
      act: async ({ reference, until, events }, { here }) => {
        await here.carrier.answer(reference);
        await until('answered');
        assert.ok(!events.some(({ type }) => type === 'media'), 'it has audio too early');
        await until('media');
        assert.ok(!events.some(({ type }) => type === 'ended'), 'it has ended');
        matches(await until('ended'), { cause: 'remote' });
      },
    },
    true,
  ),
  ...(
    [
      ['no description', {}],
      ['a description without a common codec', { sdp: GSM_ONLY }],
    ] as const
  ).map(([what, extra]) =>
    inbound(
      `an acknowledgement with ${what} after our offer ends the call`,
      {
        steps: [
          invite({ sdp: false }),
          ...PROVISIONAL,
          expectResponse(200),
          ack(1, extra),
          expectRequest('BYE'),
          respondInside(200, 'OK'),
        ],
        act: async ({ reference, until }, { here }) => {
          await here.carrier.answer(reference);
          matches(await until('ended'), { cause: 'lost' });
        },
      },
      true,
    ),
  ),
  inbound(
    'a caller that chooses encrypted audio without TLS keeps it when the call moves',
    {
      topologies: ['tcp', 'edge'],
      steps: [
        invite({
          sdp: `${SIPP_SDP.replace('RTP/AVP', 'RTP/SAVP')}\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`,
        }),
        ...PROVISIONAL,
        expectResponse(200),
        ack(),
        pause(300),
        ...byeOfCaller,
      ],
      act: async ({ reference, until }, { here, world }) => {
        await here.carrier.answer(reference);
        await eventually(() => {
          const { leg } = world.states.get(reference) as { leg: { phase: string; isSecure: boolean } };
          assert.deepEqual([leg.phase, leg.isSecure], ['established', true]);
        });
        matches(await until('ended'), { cause: 'remote' });
      },
    },
    true,
  ),
  inbound(
    'a description without a common codec is 488',
    {
      steps: [invite({ sdp: GSM_ONLY }), ...PROVISIONAL, expectResponse(488), ackRefusal()],
      act: async ({ reference, until }, { here }) => {
        await here.carrier.answer(reference);
        matches(await until('ended'), { cause: 'rejected' });
      },
    },
    true,
  ),
  inbound(
    'a session timer that the caller wants is agreed to',
    {
      steps: [
        invite({ headers: ['Session-Expires: 600;refresher=uas', 'Supported: timer'] }),
        ...PROVISIONAL,
        `<recv response="200" rrs="true"><action>
          <ereg regexp="600;refresher=uas" search_in="hdr" header="Session-Expires:" check_it="true" assign_to="terms"/>
          <log message="[$terms]"/></action></recv>`,
        ack(),
        ...byeOfCaller,
      ],
      act: async ({ reference, until }, { here }) => {
        await here.carrier.answer(reference);
        matches(await until('ended'), { cause: 'remote' });
      },
    },
    true,
  ),
  inbound('OPTIONS of a trunk, and a request of a dialog that does not exist', {
    isOffered: false,
    takes: false,
    steps: (topology) => [
      ...declined(503),
      callerRequest('OPTIONS', { ...ENDS, cseq: 2 }),
      expectResponse(200),
      // Repeated by UDP: an edge that has just started waits for its workers.
      callerRequest('BYE', { ...ENDS, cseq: 3, headers: [] })
        .replace(/To: .*/, `To: <sip:${CALLED}@[remote_ip]>;tag=gone`)
        .replace('<send>', '<send retrans="500">'),
      // The edge does not know whether another worker continues the dialog.
      expectResponse(topology === 'edge' ? 480 : 481),
    ],
  }),
];
