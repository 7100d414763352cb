import assert from 'node:assert/strict';
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
  type Step,
} from '@parley/testkit/sip';
import { dial, watch } from './sip-process.ts';
import {
  CALLED,
  CREDENTIALS,
  DIRECT,
  inbound,
  matches,
  outbound,
  type Scenario,
  type Stage,
  wentWell,
} from './stage.ts';
import { ANSWERED, ack, BYE, ENDS, invite, PROVISIONAL } from './steps.ts';

/** A recv step that checks a header by a regular expression. */
export function expects(what: string, header: string, pattern: string, variable: string): Step {
  return `<recv ${what} rrs="true"><action>
    <ereg regexp="${pattern}" search_in="hdr" header="${header}:" check_it="true" assign_to="${variable}"/>
    <log message="[$${variable}]"/></action></recv>`;
}

/** The trunk asks for the credentials of a request within the call, and gets them. */
const challenged = (method: string, variable: string): Step[] => [
  expectRequest(method),
  respondInside(407, 'Who are you', {
    headers: ['Proxy-Authenticate: Digest realm="trunk", nonce="0a1b2c", algorithm=MD5, qop="auth"'],
  }),
  ...(method === 'INVITE' ? [expectRequest('ACK')] : []),
  expects(`request="${method}"`, 'Proxy-Authorization', 'username=.alice.*response=', variable),
];
const REINVITED: readonly Step[] = [respondInside(200, 'OK', { sdp: true }), expectRequest('ACK')];

const inside = (method: string, cseq: number, headers: string[] = [], sdp = false): Step =>
  callerRequest(method, { ...ENDS, cseq, inside: true, headers, sdp });

/** A call whose process has died once it was answered. */
export async function abandoned(stage: Stage, steps: readonly Step[]) {
  const { world } = stage;
  const peer = await stage.sipp({ steps });
  const relay = await stage.relay(peer.port);
  void peer.exited.then(relay.close);
  world.own = { number: '+12025550100', connection: stage.trunk(peer.port, CREDENTIALS) };
  const dead = stage.process();
  const { reference, until } = await dial(dead, stage.trunk(relay.port, CREDENTIALS));
  await until('answered');
  await eventually(() => {
    const state = world.states.get(reference) as { leg: { phase: string } };
    assert.equal(state.leg.phase, 'established');
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  dead.carrier.detach(reference);
  await dead.stop();
  const state = world.states.get(reference);
  const attach = () => stage.other.carrier.attach(reference, { humanTurns: 0, lastSpeaker: null, state });
  return { peer, reference, attach, state, ...watch(stage.other.carrier, reference) };
}

const tooOften = ['Session-Expires: 60', 'Supported: timer'];
const refusesTooOften: readonly Step[] = [
  expectResponse(100, { optional: true }),
  expects('response="422"', 'Min-SE', '90', 'minimum'),
];

/** Challenges within calls, timers of sessions, and acknowledged ringing. */
export const CHALLENGES: readonly Scenario[] = [
  {
    name: 'a trunk that asks for credentials in the call gets them from the process that continues it, and that hangs it up',
    isCore: true,
    run: async (stage) => {
      const { peer, attach, until, reference } = await abandoned(stage, [
        ...ANSWERED,
        ...challenged('INVITE', 'reinvite'),
        ...REINVITED,
        ...challenged('BYE', 'bye'),
        respondInside(200, 'OK'),
      ]);
      assert.equal(await attach(), true);
      await until('media');
      await stage.other.carrier.hangup(reference);
      matches(await until('ended'), { cause: 'local' });
      await wentWell(peer);
      stage.other.carrier.detach(reference);
    },
  },
  {
    name: 'a trunk that asks for credentials gets them with the hang-up of a call that nobody continues',
    isCore: true,
    run: async (stage) => {
      const steps = [...ANSWERED, ...challenged('BYE', 'bye'), respondInside(200, 'OK')];
      const { peer, reference } = await abandoned(stage, steps);
      await stage.other.carrier.hangup(reference);
      await wentWell(peer);
    },
  },
  inbound(
    'a trunk that asks for credentials gets them with our hang-up of its call',
    {
      credentials: CREDENTIALS,
      steps: [
        invite(),
        expectResponse(100, { optional: true }),
        expectResponse(401, { auth: true }),
        acknowledgeRefusal(1, CALLED),
        invite({ headers: ['[authentication username=alice password=wonderland]'] }, 2),
        ...PROVISIONAL,
        expectResponse(200),
        ack(2),
        ...challenged('BYE', 'bye'),
        respondInside(200, 'OK'),
      ],
      act: async ({ reference, until }, { here }) => {
        await here.carrier.answer(reference);
        await until('answered');
        await here.carrier.hangup(reference);
        matches(await until('ended'), { cause: 'local' });
      },
    },
    true,
  ),
  {
    name: 'a session timer goes on in the process that continues the call, which names its terms',
    isCore: true,
    run: async (stage) => {
      const { peer, attach, until, state, reference } = await abandoned(stage, [
        expectRequest('INVITE'),
        respond(200, 'OK', { sdp: true, headers: ['Session-Expires: 600;refresher=uac', 'Require: timer'] }),
        expectRequest('ACK'),
        expects('request="INVITE"', 'Session-Expires', '600;refresher=uac', 'terms'),
        ...REINVITED,
        ...BYE,
      ]);
      const { leg } = state as { leg: { dialog: { terms: unknown } } };
      assert.deepEqual(leg.dialog.terms, { seconds: 600, isOurs: true });
      assert.equal(await attach(), true);
      await until('media');
      await eventually(() => {
        const { leg: now } = stage.world.states.get(reference) as typeof state &
          typeof leg & { leg: typeof leg };
        assert.deepEqual(now.dialog.terms, { seconds: 600, isOurs: true });
      });
      await stage.other.carrier.hangup(reference);
      await wentWell(peer);
      stage.other.carrier.detach(reference);
    },
  },
  inbound(
    'a call whose session timer is too short is refused with the least interval, and taken with it',
    {
      steps: [
        invite({ headers: tooOften }),
        ...refusesTooOften,
        acknowledgeRefusal(1, CALLED),
        invite({ headers: ['Session-Expires: 90;refresher=uac', 'Supported: timer'] }, 2),
        ...PROVISIONAL,
        expects('response="200"', 'Session-Expires', '90;refresher=uac', 'terms'),
        ack(2),
        inside('INVITE', 3, tooOften, true),
        expectResponse(100, { optional: true }),
        expects('response="422"', 'Min-SE', '90', 'inCall'),
        acknowledgeRefusal(3),
        inside('UPDATE', 4, tooOften),
        expects('response="422"', 'Min-SE', '90', 'byUpdate'),
        inside('BYE', 9),
        expectResponse(200),
      ],
      act: async ({ reference, until }, { here }) => {
        await here.carrier.answer(reference);
        matches(await until('ended'), { cause: 'remote' });
      },
    },
    true,
  ),
  inbound(
    'a ringing that the caller must acknowledge is repeated until its PRACK has the right number',
    {
      // By UDP sipp would pass over what is repeated.
      sipp: { extra: ['-nr'] },
      steps: [
        invite({ headers: ['Require: 100rel'] }),
        expectResponse(100, { optional: true }),
        expectResponse(180),
        `<recv response="180" rrs="true"><action>
          <ereg regexp="[0-9]+" search_in="hdr" header="RSeq:" check_it="true" assign_to="rseq"/></action></recv>`,
        inside('PRACK', 2, ['RAck: 1000001 1 INVITE']),
        expectResponse(481),
        inside('PRACK', 3, ['RAck: [$rseq] 1 INVITE']),
        expectResponse(200),
        expectResponse(200),
        ack(),
        inside('BYE', 9),
        expectResponse(200),
      ],
      act: async ({ reference, until }, { here }) => {
        await until('ringing');
        const sent = (pattern: RegExp): number =>
          here.trace.filter(({ callId, message }) => callId === reference && pattern.test(message)).length;
        const rings = () => sent(/^SIP\/2\.0 180[\s\S]*RSeq: /);
        await eventually(() => assert.equal(sent(/^SIP\/2\.0 200[\s\S]*CSeq: 3 PRACK/), 1, 'no PRACK'));
        const before = rings();
        assert.equal(before, 2);
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        assert.equal(rings(), before);
        await here.carrier.answer(reference);
        matches(await until('ended'), { cause: 'remote' });
      },
    },
    true,
  ),
  outbound(
    'a party whose transfer has succeeded is hung up again if a server on the way could not pass the BYE on in time',
    {
      // The edge responds itself after five seconds.
      topologies: DIRECT,
      steps: [
        ...ANSWERED,
        expectRequest('REFER'),
        respondInside(202, 'Accepted'),
        requestInside('NOTIFY', 1, {
          headers: ['Event: refer', 'Subscription-State: active;expires=60'],
          type: 'message/sipfrag;version=2.0',
          body: 'SIP/2.0 200 OK',
        }),
        expectResponse(200),
        expectRequest('BYE'),
        pause(6_000),
        respondInside(503, 'Not now'),
        ...BYE,
      ],
      ends: { cause: 'transferred' },
      act: async (call, stage) => {
        await call.until('media');
        stage.world.own = { number: '+12025550100', connection: stage.trunk(9) };
        await eventually(() =>
          assert.ok(
            stage.here.trace.some(
              ({ callId, message }) => callId === call.reference && message.startsWith('ACK '),
            ),
            'no ACK',
          ),
        );
        await stage.here.carrier.transfer({
          reference: call.reference,
          transferId: call.reference,
          destination: '+12025550188',
          type: 'cold',
        });
      },
    },
  ),
];
