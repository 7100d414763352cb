import assert from 'node:assert/strict';
import {
  callerRequest,
  expectRequest,
  expectResponse,
  pause,
  requestInside,
  respond,
  respondInside,
  SIPP_SDP,
  type Step,
} from '@parley/testkit/sip';
import { abandoned, expects } from './challenge-scenarios.ts';
import { takenOver, transferred } from './moving-scenarios.ts';
import { dial } from './sip-process.ts';
import { CREDENTIALS, continueCall, inbound, matches, type Scenario, type Stage, wentWell } from './stage.ts';
import { ack, BYE, CALLS, ENDS, invite, PROVISIONAL, REINVITED } from './steps.ts';

const answered = (sdp: string | true = true): Step[] => [
  expectRequest('INVITE'),
  respond(200, 'OK', { sdp }),
  expectRequest('ACK'),
];
const inside = (method: string, cseq: number, headers: string[] = []): Step =>
  callerRequest(method, { ...ENDS, cseq, inside: true, headers });

/** Keys travel by INFO where a description has no telephone-event. */
export const WITHOUT_KEYS = SIPP_SDP.replace('0 101', '0')
  .split('\n')
  .filter((line) => !/:101 /.test(line))
  .join('\n');

/** A key by INFO, challenged first; its numbers in the call. */
const challengedKey = (first: number, second: number): Step[] => [
  expects('request="INFO"', 'CSeq', `^[ ]*${first} INFO`, `first${first}`),
  respondInside(407, 'Who are you', {
    headers: ['Proxy-Authenticate: Digest realm="trunk", nonce="0a1b2c", algorithm=MD5, qop="auth"'],
  }),
  expects('request="INFO"', 'CSeq', `^[ ]*${second} INFO`, `second${second}`),
  respondInside(200, 'OK'),
];

/** An answered call moves to another process. */
async function moves(stage: Stage, reference: string) {
  // The state is stored after the answer.
  await new Promise((resolve) => setTimeout(resolve, 200));
  stage.here.carrier.detach(reference);
  return continueCall(stage, reference);
}

/** What the ends of an answered call ask of each other, again and again. */
export const WITHIN: readonly Scenario[] = [
  {
    name: 'a hang-up of a leg that nobody continues is repeated until the far end has it',
    isCore: true,
    run: async (stage) => {
      const steps = [...answered(), expectRequest('BYE'), respondInside(503, 'Not now'), ...BYE];
      const { peer, reference } = await takenOver(stage, steps, 'answered');
      await stage.other.carrier.hangup(reference);
      await wentWell(peer);
    },
  },
  {
    name: 'a cold transfer that the trunk accepts, and ends the leg without a word about its result, has succeeded',
    isCore: true,
    run: async (stage) => {
      const steps = [
        ...answered(),
        expectRequest('REFER'),
        respondInside(202, 'Accepted'),
        pause(200),
        requestInside('BYE', 1),
        expectResponse(200),
      ];
      const call = await transferred(stage, steps, '+12025550188', 'cold');
      matches(await call.until('transfer_result'), { transferId: call.transferId, ok: true });
      matches(await call.until('ended'), { cause: 'transferred' });
      assert.equal(call.events.filter(({ type }) => type === 'transfer_result').length, 1);
      await wentWell(call.peer);
    },
  },
  {
    name: 'each request of a call has a number of its own, also after challenges',
    isCore: true,
    run: async (stage) => {
      const steps = [...answered(WITHOUT_KEYS), ...challengedKey(2, 3), ...challengedKey(4, 5), ...BYE];
      const peer = await stage.sipp({ steps });
      const call = await dial(stage.here, stage.trunk(peer.port, CREDENTIALS));
      await call.until('media');
      // sipp loses a request that arrives before the ACK that it waits for.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await stage.here.carrier.sendDigits(call.reference, '12');
      await stage.here.carrier.hangup(call.reference);
      matches(await call.until('ended'), { cause: 'local' });
      await wentWell(peer);
    },
  },
  {
    name: 'a refresh that is too short for the far end is repeated with its interval',
    isCore: true,
    run: async (stage) => {
      const { peer, attach, until, reference } = await abandoned(stage, [
        expectRequest('INVITE'),
        respond(200, 'OK', { sdp: true, headers: ['Session-Expires: 600;refresher=uac', 'Require: timer'] }),
        expectRequest('ACK'),
        expects('request="INVITE"', 'Session-Expires', '600;refresher=uac', 'before'),
        respondInside(422, 'Session Interval Too Small', { headers: ['Min-SE: 1200'] }),
        expectRequest('ACK'),
        expects('request="INVITE"', 'Session-Expires', '1200;refresher=uac', 'terms'),
        respondInside(200, 'OK', { sdp: true }),
        expectRequest('ACK'),
        ...BYE,
      ]);
      assert.equal(await attach(), true);
      await until('media');
      await stage.other.carrier.hangup(reference);
      await wentWell(peer);
      stage.other.carrier.detach(reference);
    },
  },
  inbound(
    'an UPDATE that names no timer leaves the one that there is; what comes after the call has moved is asked for again',
    {
      steps: [
        invite({ headers: ['Session-Expires: 600;refresher=uas', 'Supported: timer'] }),
        ...PROVISIONAL,
        expectResponse(200),
        ack(),
        inside('UPDATE', 2, ['Supported: timer']),
        expects('response="200"', 'Session-Expires', '600;refresher=uas', 'kept'),
        inside('INFO', 3),
        expectResponse(200),
        pause(500),
        inside('UPDATE', 4),
        expectResponse(500),
        inside('INFO', 5),
        expectResponse(500),
        inside('BYE', 9),
        expectResponse(200),
      ],
      act: async ({ reference, until }, { here }) => {
        await here.carrier.answer(reference);
        await until('media');
        const isTraced = (start: string): boolean =>
          here.trace.some(({ callId, message }) => callId === reference && message.startsWith(start));
        while (!isTraced('INFO ')) await new Promise((resolve) => setTimeout(resolve, 20));
        here.carrier.detach(reference);
      },
    },
    true,
  ),
  inbound(
    'a call that came in goes on in another process',
    {
      // sipp accepts no connection of a call that it makes.
      topologies: ['edge'],
      steps: [...CALLS, ...REINVITED, ...BYE],
      act: async ({ reference, until }, stage) => {
        const { here, other } = stage;
        await here.carrier.answer(reference);
        await until('media');
        const heard = await moves(stage, reference);
        await heard.until('media');
        await other.carrier.hangup(reference);
        matches(await heard.until('ended'), { cause: 'local' });
        other.carrier.detach(reference);
      },
    },
    true,
  ),
  inbound(
    "a call that came in goes on in another process after a glare, within two seconds: its Call-ID is the caller's",
    {
      // sipp accepts no connection of a call that it makes.
      topologies: ['edge'],
      steps: [
        ...CALLS,
        expectRequest('INVITE'),
        respondInside(491, 'Request Pending'),
        expectRequest('ACK'),
        ...REINVITED,
        ...BYE,
      ],
      act: async ({ reference, until }, stage) => {
        const { here, other } = stage;
        await here.carrier.answer(reference);
        await until('media');
        const heard = await moves(stage, reference);
        await heard.until('media');
        const sent = other.trace.filter(
          ({ callId, direction, message }) =>
            callId === reference && direction === 'sent' && message.startsWith('INVITE '),
        );
        assert.equal(sent.length, 2);
        const [first = Number.NaN, second = Number.NaN] = sent.map(({ at }) => at.getTime());
        assert.ok(second - first < 2_100, `it waited ${second - first} ms`);
        await other.carrier.hangup(reference);
        matches(await heard.until('ended'), { cause: 'local' });
        other.carrier.detach(reference);
      },
    },
    true,
  ),
];
