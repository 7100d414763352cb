import { describe, expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import {
  assistant,
  departsNow,
  dialingCall,
  START,
  sessionDeps,
  silentCarrier,
  snapshot,
} from '../../../tests/session-parts.ts';
import type { Call } from '../calls/call.ts';
import type { Carrier } from '../carrier/port.ts';
import { createSwitchboard } from './switchboard.ts';

const clock = createClock({ rate: 1, originMs: 0 });

const call = (id: string, fence = 1): Call => ({
  ...dialingCall,
  id,
  fence,
  state: { ...dialingCall.state, startedAt: clock.now() },
});

/** A switchboard whose carrier keeps silent; what it dialled and let go of. */
function setUp() {
  const detached: string[] = [];
  const originated: string[] = [];
  const carrier: Carrier = {
    ...silentCarrier,
    originate: async ({ reference }) => {
      originated.push(reference);
      return { legId: 'leg' };
    },
    detach: (reference) => void detached.push(reference),
  };
  const switchboard = createSwitchboard({
    ...sessionDeps(carrier, clock),
    departureOf: () => departsNow,
    decide: async () => undefined,
    web: { carrier, runTool: () => new Promise(() => {}) },
    onEnded: () => {},
  });
  const slot = { at: START, intervalMs: 1, lateUntil: START };
  const dial = (...calls: Call[]): void =>
    switchboard.dial(calls.map((item) => ({ call: item, assistant, slot, waitedMs: 0 })));
  return { switchboard, dial, detached, originated };
}

const held = (...calls: Call[]) => new Map(calls.map(({ id, fence }) => [id, fence]));

describe('compare', () => {
  it('lets go of what is another worker’s', async () => {
    const { switchboard, dial, detached } = setUp();
    dial(call('mine'), call('gone'), call('taken'));
    expect(await switchboard.compare(async () => held(call('mine'), call('taken', 2)))).toEqual([]);
    await switchboard.compare(async () => held(call('mine')));
    await eventually(() => expect(detached).toEqual(['gone', 'taken']));
    expect(switchboard.size()).toBe(1);
    await switchboard.releaseAll();
  });

  it('keeps a call that was granted while the database was asked', async () => {
    const { switchboard, dial, detached } = setUp();
    const strays = await switchboard.compare(async () => {
      dial(call('new'));
      return held();
    });
    expect({ strays, detached, size: switchboard.size() }).toEqual({ strays: [], detached: [], size: 1 });
    await switchboard.releaseAll();
  });

  it('finds a held call without a session at the second look, unless it has come to one', async () => {
    const { switchboard, dial } = setUp();
    const both = async () => held(call('stray'), call('late'));
    expect(await switchboard.compare(both)).toEqual([]);
    dial(call('late'));
    expect(await switchboard.compare(both)).toEqual(['stray']);
    await switchboard.releaseAll();
  });
});

describe('a call that came in', () => {
  it('and is stopped between the one that listened and the one that talks, is hung up and not answered', async () => {
    const asked: string[] = [];
    const carrier: Carrier = {
      ...silentCarrier,
      answer: async () => void asked.push('answer'),
      hangup: async () => void asked.push('hangup'),
    };
    const parts = sessionDeps(carrier, clock);
    const coming = call('coming');
    const ringing: Call = { ...coming, callType: 'inbound', state: { ...coming.state, phase: 'ringing' } };
    const switchboard = createSwitchboard({
      ...parts,
      // Asked while the one that listened lets go of the leg.
      turns: {
        ...parts.turns,
        drained: async () => {
          switchboard.stop(['coming']);
          return true;
        },
      },
      departureOf: () => departsNow,
      decide: async () => ({ type: 'answer', call: ringing, assistant }),
      web: { carrier, runTool: () => new Promise(() => {}) },
      onEnded: () => {},
    });
    switchboard.receive(ringing);
    await eventually(() => expect(asked).toEqual(['hangup']));
    await switchboard.releaseAll();
  });
});

describe('dial', () => {
  it('leaves a call alone that was taken up as a stray meanwhile: it is settled, not dialled', async () => {
    const { switchboard, dial, originated } = setUp();
    await switchboard.takeOver([{ call: call('stray', 2), snapshot, record: [], interrupted: [] }]);
    dial(call('stray'));
    expect(originated).toEqual([]);
    await switchboard.releaseAll();
  });
});
