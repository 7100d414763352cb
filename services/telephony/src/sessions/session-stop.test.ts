import { describe, expect, it } from '@jest/globals';
import {
  assistant,
  departsNow,
  dialingCall,
  ID,
  sessionDeps,
  silentCarrier,
} from '../../tests/session-parts.ts';
import type { Carrier } from '../carriers/carrier.ts';
import type { Call, CallState } from './call.ts';
import type { Change } from './ports.ts';
import { createCallSession } from './session.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A session with a stopped clock; the test decides when the carrier responds to `originate`, and every write succeeds. */
function session(call: Call = dialingCall, takeover: 'reattach' | 'none' = 'reattach') {
  const asked: string[] = [];
  const saved: CallState[] = [];
  let answer = (): void => {};
  const carrier: Carrier = {
    ...silentCarrier,
    capabilities: { ...silentCarrier.capabilities, takeover },
    originate: async () => {
      asked.push('originate');
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { legId: 'leg', isSent: true };
    },
    answer: async () => void asked.push('answer'),
    hangup: async () => void asked.push('hangup'),
  };
  const now = dialingCall.createdAt;
  const clock = {
    rate: 1,
    now: () => now,
    realNow: () => now,
    toRealMs: (ms: number) => ms,
    sleep: () => new Promise<void>(() => {}),
    timer: () => () => {},
  };
  const writes = {
    holds: async () => true,
    save: async (_: unknown, __: unknown, { state }: Change) => {
      saved.push(state);
      return true;
    },
  };
  const undone: string[] = [];
  const undoDial = async (_: unknown, as: string) => undone.push(as) > 0;
  const deps = { ...sessionDeps(carrier, clock), writes, undoDial };
  const held = createCallSession(deps, { call, assistant, record: [], onOver: () => {} });
  return { held, asked, saved, undone, answer: () => answer() };
}

describe('a call that a client stops [calls.2]', () => {
  it('is not counted as a dial that left', async () => {
    const { held, asked } = session();
    const left: unknown[] = [];
    held.dial({
      ...departsNow,
      leave: async (depart) => {
        held.stop('stopped');
        const departed = depart();
        left.push(departed);
        return departed;
      },
    });
    await settled();
    expect({ left, asked }).toEqual({ left: [undefined], asked: [] });
  });

  it('no longer leaves for the carrier, and ends as agent_hangup', async () => {
    const { held, asked, saved } = session();
    let leave = (): void => {};
    held.dial({
      ...departsNow,
      leave: (depart) =>
        new Promise((resolve) => {
          leave = () => resolve(depart());
        }),
    });
    await settled();
    held.stop('stopped');
    leave();
    await settled();
    expect(asked).toEqual([]);
    expect(saved).toMatchObject([
      { phase: 'ended', reason: 'agent_hangup', answeredAt: null, retryable: false },
    ]);
  });

  it('is undone if its workspace is suspended before the dial of a campaign leaves: the request waits [trust.24]', async () => {
    const campaign = { campaignId: ID, contactId: ID };
    const { held, asked, saved, undone } = session({
      ...dialingCall,
      campaign,
      stopCause: 'workspace_suspended',
    });
    held.dial(departsNow);
    await settled();
    expect({ asked, saved, undone }).toEqual({ asked: [], saved: [], undone: ['waiting'] });
    const single = session({ ...dialingCall, stopCause: 'workspace_suspended' });
    single.held.dial(departsNow);
    await settled();
    expect(single.saved).toMatchObject([{ phase: 'ended', reason: 'agent_hangup' }]);
  });

  it('is hung up when the carrier has created the requested leg', async () => {
    const { held, asked, answer } = session();
    held.dial(departsNow);
    await settled();
    held.stop('stopped');
    held.stop('stopped');
    await settled();
    expect(asked).toEqual(['originate']);
    answer();
    await settled();
    expect(asked).toEqual(['originate', 'hangup']);
  });

  it('is not answered by the next worker if it is inbound and has its assistant', async () => {
    const state = { ...dialingCall.state, phase: 'ringing' as const };
    const call = { ...dialingCall, callType: 'inbound' as const, state };
    const stopped = session({ ...call, stopCause: 'stopped' });
    stopped.held.resume();
    await settled();
    expect(stopped.asked).toEqual(['hangup']);
    const wanted = session(call);
    wanted.held.resume();
    await settled();
    expect(wanted.asked).toEqual(['answer']);
  });

  it('is known to be stopped by the next worker, before any other action', async () => {
    const { held, asked } = session({ ...dialingCall, id: ID, stopCause: 'stopped' });
    held.dial(departsNow);
    await settled();
    expect(asked).toEqual([]);
  });
});

describe('a call of a carrier that cannot continue it in another worker', () => {
  it('is hung up by the worker that takes it over', async () => {
    const state = { ...dialingCall.state, phase: 'up' as const, answeredAt: dialingCall.createdAt };
    const { held, asked } = session({ ...dialingCall, state }, 'none');
    held.resume();
    await settled();
    expect(asked).toEqual(['hangup']);
  });
});
