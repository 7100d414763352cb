import assert from 'node:assert/strict';
import { eventually } from '@parley/testkit';
import {
  ANSWERS,
  acknowledgeRefusal,
  expectRequest,
  expectResponse,
  pause,
  requestInside,
  respond,
  respondInside,
  respondToInvite,
  SIPP_SDP,
  type Step,
  sendRaw,
} from '@parley/testkit/sip';
import type { EndCause } from '../../src/carriers/call-control.ts';
import { dial, trunkAt } from './sip-process.ts';
import { CREDENTIALS, DIRECT, outbound, type Scenario } from './stage.ts';
import { ANSWERED, BYE } from './steps.ts';

/** The edge responds 100 at once. */
const reinvite = (cseq: number, sdp: string): Step[] => [
  requestInside('INVITE', cseq, { sdp }),
  expectResponse(100, { optional: true }),
];
const terminated = respondToInvite(487, 'Request Terminated');

const hangUpWhen =
  (event: 'ringing' | 'answered' | 'media') =>
  async (
    call: Awaited<ReturnType<typeof dial>>,
    { here }: { here: Parameters<typeof dial>[0] },
  ): Promise<void> => {
    await call.until(event);
    await here.carrier.hangup(call.reference);
  };

const refusal = (
  [status, reason, cause, headers = [], hasRung = false]: [number, string, EndCause, string[]?, boolean?],
  isCore: boolean,
): Scenario =>
  outbound(
    `${status} ${reason}${headers.length > 0 ? ` with ${headers[0]}` : ''}${hasRung ? ' after ringing' : ''} is ${cause}`,
    {
      steps: [
        expectRequest('INVITE'),
        respond(100, 'Trying'),
        ...(hasRung ? [respond(180, 'Ringing')] : []),
        respond(status, reason, { headers }),
        expectRequest('ACK'),
      ],
      ends: { cause, answeredAt: null },
      act: async (call) => {
        const { provider } = await call.until('ended');
        assert.equal(provider?.code, String(status));
        assert.ok(provider.text?.startsWith(reason), `${provider.text} instead of ${reason}`);
      },
    },
    isCore,
  );

const challenged = (status: 401 | 407, isRight: boolean): Scenario => {
  const [name, challenge] =
    status === 401 ? ['Authorization', 'WWW-Authenticate'] : ['Proxy-Authorization', 'Proxy-Authenticate'];
  const asks = respond(status, 'Who are you', {
    headers: [`${challenge}: Digest realm="trunk", nonce="0a1b2c", algorithm=MD5, qop="auth"`],
  });
  const verify =
    status === 401 ? '<verifyauth assign_to="isRight" username="alice" password="wonderland"/>' : '';
  const verifies = `<recv request="INVITE" rrs="true"><action>
    <ereg regexp="Digest.*username=.alice.*response=" search_in="hdr" header="${name}:" check_it="true" assign_to="given"/>
    ${verify}<log message="[$given]"/></action></recv>
    <Reference variables="${status === 401 ? 'given,isRight' : 'given'}"/>`;
  return outbound(
    `credentials that the trunk ${isRight ? 'accepts' : 'refuses'} after ${status}`,
    {
      credentials: CREDENTIALS,
      steps: [
        expectRequest('INVITE'),
        asks,
        expectRequest('ACK'),
        verifies,
        ...(isRight
          ? [
              ...(status === 401
                ? ['<nop test="isRight" next="1"/>', respond(403, 'Wrong credentials'), '<label id="1"/>']
                : []),
              respond(200, 'OK', { sdp: true }),
              expectRequest('ACK'),
              ...BYE,
            ]
          : [asks, expectRequest('ACK')]),
      ],
      ends: isRight ? { cause: 'local' } : { cause: 'transient', answeredAt: null },
      ...(isRight ? { act: hangUpWhen('answered') } : {}),
    },
    true,
  );
};

const refusals: readonly (readonly [Parameters<typeof refusal>[0], boolean])[] = [
  [[486, 'Busy Here', 'busy'], true],
  [[600, 'Busy Everywhere', 'busy'], false],
  [[480, 'Temporarily Unavailable', 'no_answer'], false],
  [[408, 'Request Timeout', 'no_answer', [], true], true],
  [[487, 'Request Terminated', 'no_answer', [], true], false],
  [[404, 'Not Found', 'refused'], true],
  [[403, 'Forbidden', 'refused'], false],
  [[603, 'Decline', 'busy'], true],
  [[302, 'Moved Temporarily', 'refused', ['Contact: <sip:elsewhere@127.0.0.1:9>']], true],
  [[488, 'Not Acceptable Here', 'refused'], false],
  [[500, 'Server Internal Error', 'transient'], false],
  [[503, 'Service Unavailable', 'transient'], true],
  [[503, 'Service Unavailable', 'busy', ['Reason: Q.850;cause=17;text="User busy"']], true],
  [[480, 'Temporarily Unavailable', 'refused', ['Reason: Q.850;cause=21']], false],
  [[603, 'Decline', 'busy', ['Reason: Q.850;cause=21;text="Call rejected"']], true],
];

/** Calls that we place, from the answer to the strangest ends. */
export const OUTBOUND: readonly Scenario[] = [
  outbound(
    'answered, and hung up by us',
    { steps: ANSWERS, ends: { cause: 'local' }, act: hangUpWhen('media') },
    true,
  ),
  outbound(
    'answered, and hung up by the far end',
    {
      steps: [
        ...ANSWERED,
        pause(100),
        requestInside('BYE', 1, { headers: ['Reason: Q.850;cause=16'] }),
        expectResponse(200),
      ],
      ends: { cause: 'remote', provider: { code: 'Q.850 16', text: 'BYE (Q.850;cause=16)' } },
    },
    true,
  ),
  ...refusals.map(([given, isCore]) => refusal(given, isCore)),
  challenged(401, true),
  challenged(407, true),
  challenged(401, false),
  outbound(
    'cancelled while it rings',
    {
      steps: [
        expectRequest('INVITE'),
        respond(180, 'Ringing'),
        expectRequest('CANCEL'),
        respondInside(200, 'OK'),
        terminated,
        expectRequest('ACK'),
      ],
      ends: { cause: 'local', answeredAt: null },
      act: hangUpWhen('ringing'),
    },
    true,
  ),
  outbound(
    'an answer that crosses our CANCEL is acknowledged and hung up',
    {
      steps: [
        expectRequest('INVITE'),
        respond(180, 'Ringing'),
        expectRequest('CANCEL'),
        respondToInvite(200, 'OK', { sdp: true }),
        expectRequest('ACK'),
        ...BYE,
      ],
      ends: { cause: 'local', answeredAt: null },
      act: hangUpWhen('ringing'),
    },
    true,
  ),
  outbound('a trunk that does not respond at all', {
    steps: [expectRequest('INVITE')],
    ends: { cause: 'local', answeredAt: null },
    act: async (call, { here }) => here.carrier.hangup(call.reference),
  }),
  outbound(
    'early media is there before the answer',
    {
      steps: [
        expectRequest('INVITE'),
        respond(183, 'Session Progress', { sdp: true }),
        pause(300),
        respond(200, 'OK', { sdp: true }),
        expectRequest('ACK'),
        ...BYE,
      ],
      ends: { cause: 'local' },
      act: async (call, { here }) => {
        await call.until('progress');
        await call.until('media');
        assert.ok(!call.events.some(({ type }) => type === 'answered'), 'it counts as answered');
        await call.until('answered');
        await here.carrier.hangup(call.reference);
      },
    },
    true,
  ),
  outbound(
    'a reliable provisional response is acknowledged',
    {
      steps: [
        expectRequest('INVITE'),
        respond(180, 'Ringing', { headers: ['Require: 100rel', 'RSeq: 7'] }),
        expectRequest('PRACK'),
        respondInside(200, 'OK'),
        respondToInvite(200, 'OK', { sdp: true }),
        expectRequest('ACK'),
        ...BYE,
      ],
      ends: { cause: 'local' },
      act: hangUpWhen('answered'),
    },
    false,
  ),
  outbound(
    'an answer in a reliable provisional response is not repeated by the final one',
    {
      steps: [
        expectRequest('INVITE'),
        respond(183, 'Session Progress', { sdp: true, headers: ['Require: 100rel', 'RSeq: 7'] }),
        expectRequest('PRACK'),
        respondInside(200, 'OK'),
        respondToInvite(200, 'OK'),
        expectRequest('ACK'),
        ...BYE,
      ],
      ends: { cause: 'local' },
      act: async (call, { here }) => {
        await call.until('media');
        await call.until('answered');
        await new Promise((resolve) => setTimeout(resolve, 300));
        await here.carrier.hangup(call.reference);
      },
    },
    true,
  ),
  outbound(
    'a hang-up that a server does not get through is repeated',
    {
      steps: [
        ...ANSWERED,
        ...[477, 500, 503].flatMap((status) => [expectRequest('BYE'), respondInside(status, 'Not now')]),
        ...BYE,
      ],
      ends: { cause: 'local' },
      act: hangUpWhen('answered'),
    },
    true,
  ),
  outbound('a refresh of the session that fails is repeated until the session would end', {
    sipp: { timeoutSeconds: 70 },
    steps: [
      expectRequest('INVITE'),
      // On hold: no audio is expected.
      respond(200, 'OK', {
        sdp: `${SIPP_SDP}\na=inactive`,
        headers: ['Session-Expires: 90;refresher=uac', 'Require: timer'],
      }),
      expectRequest('ACK'),
      expectRequest('INVITE'),
      respondInside(500, 'Server Internal Error', { headers: ['Retry-After: 1'] }),
      expectRequest('ACK'),
      expectRequest('INVITE'),
      respondInside(200, 'OK', { sdp: true }),
      expectRequest('ACK'),
      ...BYE,
    ],
    ends: { cause: 'local' },
    act: async (call, { here }) => {
      const invites = () =>
        here.trace.filter(
          ({ callId, message }) =>
            callId === call.reference &&
            message.startsWith('SIP/2.0 200 OK') &&
            /^CSeq: \d+ INVITE/im.test(message),
        );
      await eventually(() => assert.equal(invites().length, 2), { timeoutMs: 65_000 });
      await here.carrier.hangup(call.reference);
    },
  }),
  outbound(
    'the far end holds the call and comes back',
    {
      steps: [
        ...ANSWERED,
        ...reinvite(1, `${SIPP_SDP}\na=sendonly`),
        `<recv response="200" rrs="true"><action><ereg regexp="a=recvonly" search_in="body" check_it="true" assign_to="held"/><log message="[$held]"/></action></recv>`,
        requestInside('ACK', 1),
        ...reinvite(2, SIPP_SDP),
        `<recv response="200" rrs="true"><action><ereg regexp="a=sendrecv" search_in="body" check_it="true" assign_to="back"/><log message="[$back]"/></action></recv>`,
        requestInside('ACK', 2),
        requestInside('BYE', 3),
        expectResponse(200),
      ],
      ends: { cause: 'remote' },
    },
    true,
  ),
  outbound('a re-INVITE without a common codec is refused, and changes nothing', {
    steps: [
      ...ANSWERED,
      ...reinvite(
        1,
        SIPP_SDP.replace(
          /0 101|PCMU\/8000|rtpmap:0/g,
          (text) => ({ '0 101': '3', 'PCMU/8000': 'GSM/8000', 'rtpmap:0': 'rtpmap:3' })[text] ?? '',
        ),
      ),
      expectResponse(488),
      acknowledgeRefusal(1),
      requestInside('OPTIONS', 2),
      expectResponse(200),
      requestInside('BYE', 3),
      expectResponse(200),
    ],
    ends: { cause: 'remote' },
  }),
  outbound('both hang up at once', {
    steps: [...ANSWERED, expectRequest('BYE'), requestInside('BYE', 1), expectResponse(481)],
    ends: { cause: 'local' },
    act: hangUpWhen('answered'),
  }),
  outbound('a repeated answer is acknowledged again', {
    // By UDP sipp would take the second ACK for the first one.
    sipp: { extra: ['-nr'] },
    steps: [
      expectRequest('INVITE'),
      respond(180, 'Ringing'),
      respond(180, 'Ringing'),
      respond(200, 'OK', { sdp: true }),
      expectRequest('ACK'),
      respondToInvite(200, 'OK', { sdp: true }),
      expectRequest('ACK'),
      ...BYE,
    ],
    ends: { cause: 'local' },
    act: async (call, { here }) => {
      await call.until('answered');
      await new Promise((resolve) => setTimeout(resolve, 400));
      await here.carrier.hangup(call.reference);
    },
  }),
  outbound(
    'an answer whose description is malformed',
    {
      steps: [
        expectRequest('INVITE'),
        respond(200, 'OK', { sdp: 'v=0\no=broken\nm=audio nowhere RTP/AVP x' }),
        expectRequest('ACK'),
        ...BYE,
      ],
      ends: { cause: 'lost' },
    },
    true,
  ),
  outbound('an answer without a description', {
    steps: [expectRequest('INVITE'), respond(200, 'OK'), expectRequest('ACK'), ...BYE],
    ends: { cause: 'lost' },
  }),
  outbound(
    'malformed responses are ignored',
    {
      steps: [
        expectRequest('INVITE'),
        sendRaw('SIP/2.0 199 \nVia: nothing\nCSeq: x\nContent-Length: 0\n'),
        sendRaw(
          'SIP/2.0 180 Ringing\n[last_Via:]\nFrom: ???\nTo: <<<>>>\n[last_Call-ID:]\n[last_CSeq:]\nContent-Length: 0\n',
        ),
        respond(200, 'OK', { sdp: true }),
        expectRequest('ACK'),
        ...BYE,
      ],
      ends: { cause: 'local' },
      act: hangUpWhen('answered'),
    },
    true,
  ),
  {
    name: 'a trunk that refuses the connection',
    isCore: true,
    run: async ({ here, topology, trunk }) => {
      // UDP has no connections, but the edge also speaks TCP.
      const call = await dial(here, topology === 'edge' ? trunkAt(9) : trunk(9));
      const { cause, provider } = await call.until('ended');
      assert.deepEqual([cause, provider?.code], ['transient', null]);
      const words =
        topology === 'edge' ? /^The edge could not reach the trunk$/ : /^The trunk could not be reached$/;
      assert.match(provider?.text ?? '', words);
    },
  },
  {
    name: 'a trunk over UDP without an edge, and one at a private address',
    isCore: true,
    // It is about processes that have no edge.
    topologies: DIRECT,
    run: async ({ here, trunk }) => {
      const udp = await dial(here, trunkAt(5_060, null, 'udp'));
      const first = await udp.until('ended');
      assert.equal(first.cause, 'no_route');
      assert.match(first.provider?.text ?? '', /SIP_EDGE_URL/);
      const inside = await dial(here, { ...trunk(5_060), terminationUri: '10.1.2.3' });
      const second = await inside.until('ended');
      assert.equal(second.cause, 'no_route');
      assert.match(second.provider?.text ?? '', /does not resolve to a public address/);
    },
  },
];
