import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@parley/testkit';
import {
  ANSWERS,
  expectRequest,
  expectResponse,
  pause,
  playAudio,
  requestInside,
  respond,
  respondInside,
  respondToInvite,
  type Step,
} from '@parley/testkit/sip';
import { dial, type SipProcess, watch } from './sip-process.ts';
import { matches, type Scenario, type Stage, wentWell } from './stage.ts';
import { ANSWERED, BYE, CANCELLED, REINVITED } from './steps.ts';

/** A dialed leg whose process has died, and another process that has what was stored of it. */
export async function takenOver(
  stage: Stage,
  steps: readonly Step[],
  until: 'ringing' | 'answered',
  act?: (dead: SipProcess, call: Awaited<ReturnType<typeof dial>>) => Promise<void>,
) {
  const { other, world } = stage;
  const peer = await stage.sipp({ steps });
  const relay = await stage.relay(peer.port);
  void peer.exited.then(relay.close);
  const dead = stage.process();
  const call = await dial(dead, stage.trunk(relay.port));
  await call.until(until);
  await act?.(dead, call);
  // The state is stored after the answer.
  await new Promise((resolve) => setTimeout(resolve, 100));
  dead.carrier.detach(call.reference);
  await dead.stop();
  const heard = watch(other.carrier, call.reference);
  const attach = () =>
    other.carrier.attach(call.reference, {
      humanTurns: 0,
      lastSpeaker: null,
      state: world.states.get(call.reference),
    });
  return { peer, attach, reference: call.reference, before: call, ...heard };
}

export async function transferred(
  stage: Stage,
  steps: readonly Step[],
  destination: string,
  type: 'cold' | 'warm',
  consult?: boolean,
) {
  const peer = await stage.sipp({ steps });
  const call = await dial(stage.here, stage.trunk(peer.port));
  await call.until('media');
  stage.world.own = { number: '+12025550100', connection: stage.trunk(peer.port) };
  const transferId = randomUUID();
  await stage.here.carrier.transfer({
    reference: call.reference,
    transferId,
    destination,
    type,
    ...(consult === undefined ? {} : { consult: async () => consult }),
  });
  return { peer, transferId, ...call };
}

const notify = (cseq: number, line: string): Step =>
  requestInside('NOTIFY', cseq, {
    headers: ['Event: refer', 'Subscription-State: active;expires=60'],
    type: 'message/sipfrag;version=2.0',
    body: line,
  });

const REFER_REFUSED: readonly Step[] = [expectRequest('REFER'), respondInside(405, 'Method Not Allowed')];

/** A party without audio for 20 s is lost, so this one has some. */
const referRefusedLate = (audio: string): readonly Step[] => [
  playAudio(audio),
  expectRequest('REFER'),
  pause(20_000),
  respondInside(405, 'Method Not Allowed'),
];
const REFER_ACCEPTED: readonly Step[] = [expectRequest('REFER'), respondInside(202, 'Accepted')];

/** Asks the trunk to connect another party, which it accepts. */
async function refer(
  { world, trunk }: Stage,
  { carrier, trace }: SipProcess,
  { reference }: { reference: string },
): Promise<void> {
  world.own = { number: '+12025550100', connection: trunk(9) };
  const destination = '+12025550188';
  const wasTraced = (start: string) => trace.some(({ message }) => message.startsWith(start));
  // sipp loses a request that arrives before the ACK that it waits for.
  await eventually(() => assert.ok(wasTraced('ACK '), 'no ACK'));
  await carrier.transfer({ reference, transferId: randomUUID(), destination, type: 'cold' });
  await eventually(() => assert.ok(wasTraced('SIP/2.0 202'), 'REFER is not accepted'));
}

/** Legs that move: to another process, or to another far end. */
export const MOVING: readonly Scenario[] = [
  {
    name: 'a cold transfer whose REFER is refused late calls its target only as long as the session waits',
    isCore: false,
    // A TLS trunk encrypts its audio, which sipp does not.
    topologies: ['tcp', 'edge'],
    run: async (stage) => {
      const target = await stage.sipp({
        steps: [expectRequest('INVITE'), respond(180, 'Ringing'), ...CANCELLED],
        timeoutSeconds: 60,
      });
      const folder = await mkdtemp(join(tmpdir(), 'parley-refer-'));
      try {
        const audio = join(folder, 'silence.pcmu');
        await writeFile(audio, Buffer.alloc(8_000, 0xff));
        const destination = stage.destination(target.port);
        const steps = [...ANSWERED, ...referRefusedLate(audio), ...BYE];
        const { until, reference, peer } = await transferred(stage, steps, destination, 'cold');
        const beganMs = performance.now();
        matches(await until('transfer_result', 40_000), { ok: false });
        assert.ok(performance.now() - beganMs < 30_000, 'it took 30 s');
        await stage.here.carrier.hangup(reference);
        await Promise.all([wentWell(target), wentWell(peer)]);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  },
  {
    name: 'an answered leg whose process is about to continue it, and hands it over first, stays with the next one',
    isCore: true,
    run: async (stage) => {
      const { attach, reference, peer } = await takenOver(
        stage,
        [
          ...ANSWERED,
          expectRequest('INVITE'),
          pause(500),
          respondInside(200, 'OK', { sdp: true }),
          expectRequest('ACK'),
          ...REINVITED,
          ...BYE,
        ],
        'answered',
      );
      const { other, here, world } = stage;
      const attaching = attach();
      await new Promise((resolve) => setTimeout(resolve, 200));
      other.carrier.detach(reference);
      assert.equal(await attaching, true);
      assert.equal(other.carrier.media(reference), undefined);
      const heard = watch(here.carrier, reference);
      const state = world.states.get(reference);
      await here.carrier.attach(reference, { humanTurns: 0, lastSpeaker: null, state });
      await heard.until('media');
      await here.carrier.hangup(reference);
      await wentWell(peer);
    },
  },
  {
    name: 'a process that hands an answered leg over while its trunk is not ready sends nothing more',
    isCore: true,
    run: async (stage) => {
      const later = respondInside(500, 'Not now', { headers: ['Retry-After: 1'] });
      const { attach, reference, peer } = await takenOver(
        stage,
        [...ANSWERED, expectRequest('INVITE'), later, expectRequest('ACK'), ...BYE],
        'answered',
      );
      const { other, here } = stage;
      const attaching = attach();
      await new Promise((resolve) => setTimeout(resolve, 300));
      other.carrier.detach(reference);
      assert.equal(await attaching, true);
      const sent = other.trace.filter(
        ({ direction, callId, message }) =>
          direction === 'sent' && callId === reference && /^(INVITE|BYE) /.test(message),
      );
      assert.equal(sent.length, 1);
      await here.carrier.hangup(reference);
      await wentWell(peer);
    },
  },
  {
    name: 'an answered leg goes on in another process, after a glare, and is hung up there',
    isCore: true,
    run: async (stage) => {
      const { peer, attach, until, reference, before } = await takenOver(
        stage,
        [
          ...ANSWERED,
          expectRequest('INVITE'),
          respondInside(491, 'Request Pending'),
          expectRequest('ACK'),
          expectRequest('INVITE'),
          respondInside(200, 'OK', { sdp: true }),
          expectRequest('ACK'),
          ...BYE,
        ],
        'answered',
      );
      assert.equal(await attach(), true);
      assert.deepEqual((await until('answered')).at, (await before.until('answered')).at);
      // The Call-ID is ours.
      const [first = 0, second = 0] = stage.other.trace
        .filter(({ callId, message }) => callId === reference && message.startsWith('INVITE '))
        .map(({ at }) => at.getTime());
      assert.ok(second - first >= 2_000, `it waited ${second - first} ms`);
      await until('media');
      await stage.other.carrier.hangup(reference);
      matches(await until('ended'), { cause: 'local' });
      await wentWell(peer);
    },
  },
  {
    name: 'an answered leg goes on in another process once its trunk, or a server on the way, is back',
    isCore: true,
    run: async (stage) => {
      const later = (status: number): Step[] => [
        expectRequest('INVITE'),
        respondInside(status, 'Not now', { headers: ['Retry-After: 1'] }),
        expectRequest('ACK'),
      ];
      const steps = [...ANSWERED, ...later(500), ...later(477), ...later(503), ...REINVITED, ...BYE];
      const { peer, attach, until, reference, events } = await takenOver(stage, steps, 'answered');
      assert.equal(await attach(), true);
      await until('media');
      assert.ok(!events.some(({ type }) => type === 'ended'), 'it has ended');
      await stage.other.carrier.hangup(reference);
      matches(await until('ended'), { cause: 'local' });
      await wentWell(peer);
    },
  },
  {
    name: 'a leg that the far end does not know any more has ended',
    isCore: true,
    run: async (stage) => {
      const { peer, attach, until } = await takenOver(
        stage,
        [
          ...ANSWERED,
          expectRequest('INVITE'),
          respondInside(481, 'Call Does Not Exist'),
          expectRequest('ACK'),
        ],
        'answered',
      );
      assert.equal(await attach(), true);
      matches(await until('ended'), { cause: 'remote' });
      await wentWell(peer);
    },
  },
  {
    name: 'a ringing leg of a dead process is cancelled',
    isCore: true,
    run: async (stage) => {
      const { peer, attach, until } = await takenOver(
        stage,
        [expectRequest('INVITE'), respond(180, 'Ringing'), ...CANCELLED],
        'ringing',
      );
      assert.equal(await attach(), true);
      matches(await until('ended'), { cause: 'lost', answeredAt: null });
      await wentWell(peer);
    },
  },
  {
    name: 'a ringing leg of a dead process whose answer crosses our CANCEL is acknowledged and hung up',
    isCore: true,
    run: async (stage) => {
      const { peer, attach, until } = await takenOver(
        stage,
        [
          expectRequest('INVITE'),
          respond(180, 'Ringing'),
          expectRequest('CANCEL'),
          respondInside(200, 'OK'),
          respondToInvite(200, 'OK', { sdp: true }),
          expectRequest('ACK'),
          ...BYE,
        ],
        'ringing',
      );
      assert.equal(await attach(), true);
      matches(await until('ended'), { cause: 'lost', answeredAt: null });
      await wentWell(peer);
    },
  },
  {
    name: 'a leg of a dead process that nobody continues is hung up',
    isCore: true,
    run: async (stage) => {
      const { peer, reference } = await takenOver(stage, [...ANSWERED, ...BYE], 'answered');
      await stage.other.carrier.hangup(reference);
      await wentWell(peer);
    },
  },
  ...(
    [
      ['the trunk reports its success', [notify(1, 'SIP/2.0 200 OK'), expectResponse(200), ...BYE]],
      ['the trunk hangs up', [requestInside('BYE', 1), expectResponse(200)]],
    ] as const
  ).map(
    ([ending, rest]): Scenario => ({
      name: `a cold transfer whose process has died goes on in another one: ${ending}`,
      isCore: true,
      run: async (stage) => {
        const { peer, attach, until } = await takenOver(
          stage,
          [...ANSWERED, ...REFER_ACCEPTED, ...REINVITED, ...rest],
          'answered',
          (dead, call) => refer(stage, dead, call),
        );
        assert.equal(await attach(), true);
        matches(await until('ended'), { cause: 'transferred' });
        await wentWell(peer);
      },
    }),
  ),
  {
    name: 'a cold transfer whose process has died fails: the call goes on in another one',
    isCore: true,
    run: async (stage) => {
      const { peer, attach, until, reference } = await takenOver(
        stage,
        [
          ...ANSWERED,
          ...REFER_ACCEPTED,
          ...REINVITED,
          notify(1, 'SIP/2.0 486 Busy Here'),
          expectResponse(200),
          pause(300),
          requestInside('BYE', 2),
          expectResponse(200),
        ],
        'answered',
        (dead, call) => refer(stage, dead, call),
      );
      assert.equal(await attach(), true);
      matches(await until('ended'), { cause: 'remote' });
      await wentWell(peer);
      stage.other.carrier.detach(reference);
    },
  },
  {
    name: 'a cold transfer: the trunk connects the target and reports it',
    isCore: true,
    run: async (stage) => {
      const call = await transferred(
        stage,
        [
          ...ANSWERED,
          expectRequest('REFER'),
          respondInside(202, 'Accepted'),
          notify(1, 'SIP/2.0 180 Ringing'),
          expectResponse(200),
          pause(100),
          notify(2, 'SIP/2.0 200 OK'),
          expectResponse(200),
          ...BYE,
        ],
        '+12025550188',
        'cold',
      );
      matches(await call.until('transfer_result'), { transferId: call.transferId, ok: true });
      matches(await call.until('ended'), { cause: 'transferred' });
      await wentWell(call.peer);
    },
  },
  {
    name: 'a cold transfer whose REFER is refused: the target is called from here and bridged, until it hangs up',
    isCore: true,
    run: async (stage) => {
      const target = await stage.sipp({
        steps: [...ANSWERED, pause(400), requestInside('BYE', 1), expectResponse(200)],
      });
      const call = await transferred(
        stage,
        [...ANSWERED, ...REFER_REFUSED, ...BYE],
        stage.destination(target.port),
        'cold',
      );
      matches(await call.until('transfer_result'), { ok: true });
      matches(await call.until('ended'), { cause: 'transferred' });
      await wentWell(target);
      await wentWell(call.peer);
    },
  },
  {
    name: 'a warm transfer that is declined: the target is hung up, and the call goes on',
    isCore: true,
    run: async (stage) => {
      const target = await stage.sipp({ steps: [...ANSWERED, ...BYE] });
      const destination = stage.destination(target.port);
      const call = await transferred(stage, [...ANSWERED, ...BYE], destination, 'warm', false);
      matches(await call.until('transfer_result'), { ok: false });
      await wentWell(target);
      await stage.here.carrier.hangup(call.reference);
      matches(await call.until('ended'), { cause: 'local' });
      await wentWell(call.peer);
    },
  },
  {
    name: 'a warm transfer that is accepted: bridged until the party hangs up, which ends both',
    isCore: true,
    run: async (stage) => {
      const target = await stage.sipp({ steps: [...ANSWERED, ...BYE] });
      const destination = stage.destination(target.port);
      const steps = [...ANSWERED, pause(1_500), requestInside('BYE', 1), expectResponse(200)];
      const call = await transferred(stage, steps, destination, 'warm', true);
      matches(await call.until('transfer_result'), { ok: true });
      matches(await call.until('ended'), { cause: 'transferred' });
      await wentWell(target);
      await wentWell(call.peer);
    },
  },
  {
    name: 'a transfer to a target that is busy: the call goes on',
    isCore: false,
    run: async (stage) => {
      const target = await stage.sipp({
        steps: [expectRequest('INVITE'), respond(486, 'Busy Here'), expectRequest('ACK')],
      });
      const destination = stage.destination(target.port);
      const call = await transferred(stage, [...ANSWERED, ...BYE], destination, 'warm', true);
      matches(await call.until('transfer_result'), { ok: false });
      await stage.here.carrier.hangup(call.reference);
      await call.until('ended');
      await wentWell(call.peer);
    },
  },
  {
    name: 'OPTIONS tells whether a trunk is there',
    isCore: true,
    run: async ({ here, sipp, transport }) => {
      const peer = await sipp({ steps: [expectRequest('OPTIONS'), respond(200, 'Alive')] });
      const trunk = { host: '127.0.0.1', port: peer.port, transport, credentials: null };
      matches(await here.carrier.ping(trunk), { isReachable: true, status: 200, text: 'Alive' });
      await wentWell(peer);
      matches(await here.carrier.ping({ ...trunk, port: 9 }), { isReachable: false, status: null });
    },
  },
  {
    name: 'messages are traced with their call, in order, and without secrets',
    isCore: true,
    run: async (stage) => {
      const peer = await stage.sipp({ steps: ANSWERS });
      const call = await dial(
        stage.here,
        stage.trunk(peer.port, { username: 'alice', password: 'wonderland' }),
      );
      await call.until('answered');
      await stage.here.carrier.hangup(call.reference);
      await wentWell(peer);
      const mine = stage.here.trace.filter(({ callId }) => callId === call.reference);
      const lines = mine.map(({ direction, message }) => `${direction} ${message.split('\r\n', 1)[0]}`);
      assert.match(lines[0] ?? '', /^sent INVITE sip:\+12025550199@/);
      assert.match(lines[1] ?? '', /^received SIP\/2.0 100/);
      assert.match(lines.at(-1) ?? '', /^received SIP\/2.0 200/);
      assert.ok(!mine.some(({ message }) => message.includes('wonderland')), 'the password is traced');
    },
  },
];
