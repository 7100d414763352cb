import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { eventually } from '@parley/testkit';
import {
  expectRequest,
  expectResponse,
  pause,
  requestInside,
  respond,
  respondInside,
  type Sipp,
  type Step,
} from '@parley/testkit/sip';
import { dial, type SipProcess, type SipWorld } from './sip-process.ts';
import { continueCall, DIRECT, matches, type Scenario, type Stage, wentWell } from './stage.ts';
import { ANSWERED, BYE, CANCELLED, REINVITED } from './steps.ts';

const UNKNOWN: readonly Step[] = [
  expectRequest('INVITE'),
  respondInside(481, 'Call Does Not Exist'),
  expectRequest('ACK'),
];

type Moment = 'ringing' | 'consulted' | 'bridged';

/** A call whose process dies during a transfer to a second sipp, and goes on in another one. */
async function diedInTransfer(
  stage: Stage,
  steps: { party: readonly Step[]; target: readonly Step[] },
  moment: Moment,
) {
  const [party, target] = await Promise.all([
    stage.sipp({ steps: steps.party }),
    stage.sipp({ steps: steps.target }),
  ]);
  let onConsult = (): void => {};
  const consulted = new Promise<void>((resolve) => {
    onConsult = resolve;
  });
  const { dead, call } = await transferring(stage, { party, target }, async () => {
    onConsult();
    return moment === 'bridged' || new Promise<never>(() => {});
  });
  if (moment !== 'ringing') await consulted;
  if (moment === 'bridged') matches(await call.until('transfer_result'), { ok: true });
  // The target rings, or what has changed last is being stored.
  await new Promise((resolve) => setTimeout(resolve, 400));
  await dies(dead, call.reference);
  return { party, target, reference: call.reference, ...(await continueCall(stage, call.reference)) };
}

/** A call whose party is transferred to a second sipp, which answers and accepts. */
async function bridged(
  { sipp, here, world, trunk, destination }: Stage,
  onConsult: () => void,
  beforeTransfer: () => void = () => {},
) {
  const steps = [...ANSWERED, ...BYE];
  const [party, target] = await Promise.all([sipp({ steps }), sipp({ steps })]);
  const call = await dial(here, trunk(party.port));
  await call.until('media');
  world.own = { number: '+12025550100', connection: trunk(party.port) };
  beforeTransfer();
  await here.carrier.transfer({
    ...{ reference: call.reference, transferId: randomUUID(), type: 'warm' },
    destination: destination(target.port),
    consult: async () => {
      onConsult();
      return true;
    },
  });
  const hangUp = async (): Promise<void> => {
    await here.carrier.hangup(call.reference);
    await Promise.all([wentWell(party), wentWell(target)]);
  };
  return { ...call, hangUp };
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A call of a process that is to die, whose party is transferred to a second sipp. */
async function transferring(
  stage: Stage,
  { party, target }: { party: Sipp; target: Sipp },
  consult: () => Promise<boolean>,
) {
  const { world, trunk, relay, destination, process } = stage;
  const relays = await Promise.all([relay(party.port), relay(target.port)]);
  for (const [n, peer] of [party, target].entries()) void peer.exited.then(relays[n]?.close);
  const dead = process();
  const call = await dial(dead, trunk(relays[0].port));
  await call.until('media');
  world.own = { number: '+12025550100', connection: trunk(relays[0].port) };
  const asked = { reference: call.reference, transferId: randomUUID(), type: 'warm' as const };
  void dead.carrier.transfer({ ...asked, destination: destination(relays[1].port), consult });
  return { dead, call };
}

async function dies(dead: SipProcess, reference: string): Promise<void> {
  dead.carrier.detach(reference);
  await dead.stop();
}

/** What is stored of the target of a call's transfer. */
const targetOf = ({ states }: SipWorld, reference: string): object =>
  (states.get(reference) as { bridged: object }).bridged;

/** A process dies while a call is being transferred, or has been by a bridge. */
export const BRIDGES: readonly Scenario[] = [
  {
    name: 'the states of a bridged call are stored in order, also when one takes longer than the next',
    isCore: true,
    run: async (stage) => {
      const { world } = stage;
      const call = await bridged(stage, () => {
        world.beforeSave = () => {
          world.beforeSave = undefined;
          return wait(300);
        };
      });
      matches(await call.until('transfer_result'), { ok: true });
      await wait(500);
      matches(world.states.get(call.reference) as object, { isBridged: true });
      await call.hangUp();
    },
  },
  {
    name: 'the target of a transfer is called once it is stored, so that no other process misses it',
    isCore: true,
    run: async (stage) => {
      const { world, here } = stage;
      let store = (): void => {};
      const stored = new Promise<void>((resolve) => {
        store = resolve;
      });
      const call = await bridged(
        stage,
        () => {},
        () => {
          world.beforeSave = () => stored;
        },
      );
      const invites = () =>
        here.trace.filter(({ callId, message }) => callId === call.reference && message.startsWith('INVITE'));
      await wait(300);
      assert.equal(invites().length, 1);
      world.beforeSave = undefined;
      store();
      matches(await call.until('transfer_result'), { ok: true });
      assert.equal(invites().length, 2);
      await call.hangUp();
    },
  },
  {
    name: 'a bridged call goes on in another process: both are asked for their audio, and the end of one ends both',
    isCore: true,
    run: async (stage) => {
      const { party, target, until, events, reference } = await diedInTransfer(
        stage,
        {
          party: [...ANSWERED, ...REINVITED, pause(600), requestInside('BYE', 1), expectResponse(200)],
          target: [...ANSWERED, ...REINVITED, ...BYE],
        },
        'bridged',
      );
      // The party talks to the target.
      assert.equal(stage.other.carrier.media(reference), undefined);
      // A third process could continue both as well.
      const stored = stage.world.states.get(reference) as { bridged: object | null; isBridged: boolean };
      assert.ok(stored.isBridged && stored.bridged, 'the bridge is stored');
      matches(await until('ended'), { cause: 'transferred' });
      await Promise.all([wentWell(party), wentWell(target)]);
      assert.equal(events.filter(({ type }) => type === 'ended').length, 1);
    },
  },
  {
    name: 'a bridged call whose target hangs up in another process ends for the party too',
    isCore: false,
    run: async (stage) => {
      const { party, target, until } = await diedInTransfer(
        stage,
        {
          party: [...ANSWERED, ...REINVITED, ...BYE],
          target: [...ANSWERED, ...REINVITED, pause(600), requestInside('BYE', 1), expectResponse(200)],
        },
        'bridged',
      );
      matches(await until('ended'), { cause: 'transferred' });
      await Promise.all([wentWell(party), wentWell(target)]);
    },
  },
  {
    name: 'a bridged call whose target is gone ends with a reason: the party is hung up',
    isCore: true,
    run: async (stage) => {
      const { party, target, until } = await diedInTransfer(
        stage,
        {
          party: [...ANSWERED, ...REINVITED, ...BYE],
          target: [...ANSWERED, ...UNKNOWN],
        },
        'bridged',
      );
      const { cause, provider } = await until('ended');
      assert.equal(cause, 'transferred');
      assert.match(provider?.text ?? '', /could not be continued/);
      await Promise.all([wentWell(party), wentWell(target)]);
    },
  },
  {
    name: 'a bridged call whose party is gone has ended: the target is hung up',
    isCore: true,
    run: async (stage) => {
      const { party, target, until } = await diedInTransfer(
        stage,
        { party: [...ANSWERED, ...UNKNOWN], target: [...ANSWERED, ...BYE] },
        'bridged',
      );
      matches(await until('ended'), { cause: 'transferred' });
      await Promise.all([wentWell(party), wentWell(target)]);
    },
  },
  {
    name: 'a target that had not accepted when the process died is hung up, and the party goes on',
    isCore: true,
    run: async (stage) => {
      const { party, target, until, events, reference } = await diedInTransfer(
        stage,
        {
          party: [...ANSWERED, ...REINVITED, ...BYE],
          target: [...ANSWERED, ...BYE],
        },
        'consulted',
      );
      await wentWell(target);
      assert.ok(!events.some(({ type }) => type === 'ended'), 'it has ended');
      // The assistant has the party again.
      assert.equal(stage.other.carrier.media(reference)?.kind, 'audio');
      await stage.other.carrier.hangup(reference);
      matches(await until('ended'), { cause: 'local' });
      await wentWell(party);
    },
  },
  {
    name: 'a target that rang when the process died is cancelled, and the party goes on',
    isCore: true,
    run: async (stage) => {
      const { party, target, until, reference } = await diedInTransfer(
        stage,
        {
          party: [...ANSWERED, ...REINVITED, ...BYE],
          target: [expectRequest('INVITE'), respond(180, 'Ringing'), ...CANCELLED],
        },
        'ringing',
      );
      await wentWell(target);
      await stage.other.carrier.hangup(reference);
      matches(await until('ended'), { cause: 'local' });
      await wentWell(party);
    },
  },
  {
    name: 'a target that declined stays stored until its leg is over: another process hangs it up if this one dies before',
    isCore: true,
    topologies: DIRECT,
    run: async (stage) => {
      const { world, other } = stage;
      const [party, target] = await Promise.all([
        stage.sipp({ steps: [...ANSWERED, ...REINVITED, ...BYE] }),
        // Only the second BYE gets a response.
        stage.sipp({ steps: [...ANSWERED, expectRequest('BYE'), ...BYE] }),
      ]);
      const { dead, call } = await transferring(stage, { party, target }, async () => false);
      matches(await call.until('transfer_result'), { ok: false });
      await wait(300);
      await dies(dead, call.reference);
      matches(targetOf(world, call.reference), { phase: 'established' });
      const heard = await continueCall(stage, call.reference);
      await wentWell(target);
      await eventually(() => assert.equal(targetOf(world, call.reference), null));
      await other.carrier.hangup(call.reference);
      matches(await heard.until('ended'), { cause: 'local' });
      await wentWell(party);
    },
  },
  {
    name: 'a call whose party hangs up during a transfer ends once its target is gone: another process cancels it if this one dies before',
    isCore: true,
    topologies: DIRECT,
    run: async (stage) => {
      const { world } = stage;
      const [party, target] = await Promise.all([
        stage.sipp({
          steps: [...ANSWERED, pause(1_000), requestInside('BYE', 1), expectResponse(200), ...UNKNOWN],
        }),
        // Without a provisional response, our CANCEL has to wait.
        stage.sipp({ steps: [expectRequest('INVITE'), ...CANCELLED] }),
      ]);
      const { dead, call } = await transferring(stage, { party, target }, async () => true);
      matches(await call.until('transfer_result'), { ok: false });
      await wait(300);
      assert.ok(!call.events.some(({ type }) => type === 'ended'), 'it has ended');
      await dies(dead, call.reference);
      matches(targetOf(world, call.reference), { phase: 'inviting' });
      const heard = await continueCall(stage, call.reference);
      matches(await heard.until('ended'), { cause: 'remote' });
      await Promise.all([wentWell(party), wentWell(target)]);
    },
  },
  {
    name: 'a call whose party hangs up during a transfer ends after its target was cancelled',
    isCore: true,
    run: async (stage) => {
      const [party, target] = await Promise.all([
        stage.sipp({ steps: [...ANSWERED, pause(1_000), requestInside('BYE', 1), expectResponse(200)] }),
        stage.sipp({
          steps: [
            ...[expectRequest('INVITE'), respond(180, 'Ringing')],
            ...CANCELLED.toSpliced(2, 0, pause(400)),
          ],
        }),
      ]);
      const { dead, call } = await transferring(stage, { party, target }, async () => true);
      matches(await call.until('ended'), { cause: 'remote' });
      const received = dead.trace.filter(({ direction }) => direction === 'received');
      assert.ok(
        received.some(({ message }) => message.startsWith('SIP/2.0 487')),
        'it ended before',
      );
      assert.equal(call.events.filter(({ type }) => type === 'ended').length, 1);
      await Promise.all([wentWell(party), wentWell(target)]);
      await dead.stop();
    },
  },
];
