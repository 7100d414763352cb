import { describe, expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import {
  assistant,
  departsNow,
  dialingCall,
  sessionDeps,
  silentCarrier,
  snapshot,
} from '../../tests/session-parts.ts';
import type { Carrier } from '../carriers/carrier.ts';
import type { Departure } from '../dialer/dialer.ts';
import type { Call } from './call.ts';
import { type CallSessions, type CallSessionsDeps, createCallSessions } from './call-sessions.ts';

const clock = createClock({ rate: 1, originMs: 0 });

const call = (id: string, fence = 1): Call => ({
  ...dialingCall,
  id,
  fence,
  state: { ...dialingCall.state, startedAt: clock.now() },
});

/** Sessions on a carrier that reports nothing; the calls that they dialed and released. */
function setUp(given: Partial<CallSessionsDeps> = {}, isSent = (_dials: number): boolean => true) {
  const detached: string[] = [];
  const originated: string[] = [];
  const carrier: Carrier = {
    ...silentCarrier,
    originate: async ({ reference }) => {
      originated.push(reference);
      return { legId: 'leg', isSent: isSent(originated.length) };
    },
    detach: (reference) => void detached.push(reference),
  };
  const sessions = createCallSessions({
    ...sessionDeps(carrier, clock),
    carriers: { of: () => carrier },
    toolRunnerOf: () => () => new Promise(() => {}),
    onEnded: () => {},
    ...given,
  });
  const dial = (...calls: Call[]): void =>
    sessions.dial(calls.map((item) => ({ call: item, assistant, departure: departsNow })));
  return { sessions, dial, detached, originated };
}

const held = (...calls: Call[]) => new Map(calls.map(({ id, fence }) => [id, fence]));

describe('compare', () => {
  it('releases the calls of another worker', async () => {
    const { sessions, dial, detached } = setUp();
    dial(call('mine'), call('gone'), call('taken'));
    expect(await sessions.compare(async () => held(call('mine'), call('taken', 2)))).toEqual([]);
    await sessions.compare(async () => held(call('mine')));
    await eventually(() => expect(detached).toEqual(['gone', 'taken']));
    expect(sessions.size()).toBe(1);
    await sessions.releaseAll();
  });

  it('keeps a call that was granted during the query', async () => {
    const { sessions, dial, detached } = setUp();
    const strays = await sessions.compare(async () => {
      dial(call('new'));
      return held();
    });
    expect({ strays, detached, size: sessions.size() }).toEqual({ strays: [], detached: [], size: 1 });
    await sessions.releaseAll();
  });

  it('finds a held call without a session at the second comparison, unless it has got one', async () => {
    const { sessions, dial } = setUp();
    const both = async () => held(call('stray'), call('late'));
    expect(await sessions.compare(both)).toEqual([]);
    dial(call('late'));
    expect(await sessions.compare(both)).toEqual(['stray']);
    await sessions.releaseAll();
  });
});

describe('a dial that is undone without the knowledge of its session, and reserved again [campaigns.11]', () => {
  const tooLate: Departure = { leave: async () => undefined, isTooLate: () => true };

  it.each([
    ['its slot was missed, before the comparison', 'before', tooLate, []],
    ['its slot was missed, after the comparison', 'after', tooLate, []],
    ['its carrier held it back', 'before', departsNow, ['again']],
  ])('leaves once: %s', async (_, when, departure, heldBack) => {
    let acknowledge = (_isOurs: boolean): void => {};
    const undone = new Promise<boolean>((resolve) => {
      acknowledge = resolve;
    });
    let attempts = 0;
    const { sessions, dial, detached, originated } = setUp(
      {
        undoDial: () => {
          attempts += 1;
          return undone;
        },
        writes: { save: async (_call, { fence }) => fence > 1, holds: async () => true },
      },
      (dials) => dials > heldBack.length,
    );
    const first = { ...call('again', 1), campaign: { campaignId: 'c', contactId: 'x' } };
    sessions.dial([{ call: first, assistant, departure }]);
    await eventually(() => expect(attempts).toBe(1));
    if (when === 'after') await sessions.compare(async () => held());
    dial({ ...first, fence: 2 });
    await eventually(() => expect(originated).toEqual([...heldBack, 'again']));
    acknowledge(false);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect({ detached, size: sessions.size() }).toEqual({ detached: [], size: 1 });
    await sessions.releaseAll();
    expect(detached).toEqual(['again']);
  });
});

describe('an inbound call', () => {
  const coming = call('coming');
  const ringing: Call = {
    ...coming,
    callType: 'inbound',
    state: { ...coming.state, phase: 'selecting_assistant' },
  };
  const { agentId, agentVersion, agentWebhookUrl, dynamicVariables } = coming;
  const selected = { agentId, agentVersion, agentWebhookUrl, dynamicVariables };

  function receiving(whileSelecting: (sessions: CallSessions) => void) {
    const asked: string[] = [];
    const carrier: Carrier = {
      ...silentCarrier,
      answer: async () => void asked.push('answer'),
      hangup: async () => void asked.push('hangup'),
    };
    const sessions = createCallSessions({
      ...sessionDeps(carrier, clock),
      decide: async () => {
        whileSelecting(sessions);
        return { type: 'answer', selected, assistant };
      },
      carriers: { of: () => carrier },
      toolRunnerOf: () => () => new Promise(() => {}),
      onEnded: () => {},
    });
    return { sessions, asked };
  }

  it('is answered once its assistant is selected', async () => {
    const { sessions, asked } = receiving(() => {});
    sessions.receive(ringing);
    await eventually(() => expect(asked).toEqual(['answer']));
    await sessions.releaseAll();
  });

  it('that is stopped while its assistant is selected is hung up and not answered', async () => {
    const { sessions, asked } = receiving((all) => all.stop([{ id: 'coming', cause: 'stopped' }]));
    sessions.receive(ringing);
    await eventually(() => expect(asked).toEqual(['hangup']));
    await sessions.releaseAll();
  });

  it('continues its selection in the worker that takes it over', async () => {
    const { sessions, asked } = receiving(() => {});
    await sessions.takeOver([
      { call: ringing, snapshot: null, record: [], interrupted: [], isPoison: false },
    ]);
    await eventually(() => expect(asked).toEqual(['answer']));
    await sessions.releaseAll();
  });
});

describe('a call of a dead worker', () => {
  it('that workers crash on is ended, and its variables are not filled in [trust.5]', async () => {
    const { sessions } = setUp({ writes: { save: async () => true, holds: async () => true } });
    const dynamicVariables = {
      get a(): string {
        throw new Error('filled in');
      },
    };
    const poison: Call = { ...call('poison'), dynamicVariables };
    const prompting = { ...snapshot, config: { systemPrompt: '{{a}}' } };
    const orphan = { call: poison, snapshot: prompting, record: [], interrupted: [] };
    await expect(sessions.takeOver([{ ...orphan, isPoison: false }])).rejects.toThrow('filled in');
    await sessions.takeOver([{ ...orphan, isPoison: true }]);
    await sessions.releaseAll();
  });
});

describe('dial', () => {
  it('does not dial a call that was retaken as a stray meanwhile', async () => {
    const { sessions, dial, originated } = setUp();
    await sessions.takeOver([
      { call: call('stray', 2), snapshot, record: [], interrupted: [], isPoison: false },
    ]);
    dial(call('stray'));
    expect(originated).toEqual([]);
    await sessions.releaseAll();
  });
});
