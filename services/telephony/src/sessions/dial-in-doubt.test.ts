import { describe, expect, it } from '@jest/globals';
import {
  assistant,
  departsNow,
  dialingCall,
  ID,
  START,
  sessionDeps,
  silentCarrier,
} from '../../tests/session-parts.ts';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import type { Carrier } from '../carriers/carrier.ts';
import type { Call, CallState } from './call.ts';
import type { Change } from './ports.ts';
import { createCallSession } from './session.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const ofCampaign: Call = { ...dialingCall, campaign: { campaignId: ID, contactId: ID } };
/** The ring time of the assistant, and half a minute more (stack time). */
const RESOLVED_MS = 30_000 + 30_000;

/** A call whose worker died while the dial was being sent, at a carrier that knows it or not. The test moves the clock. */
function inDoubt({ call = ofCampaign, isKnown = false, rate = 1, given = {} as Partial<Carrier> } = {}) {
  let nowMs = START.getTime();
  let timers: { dueMs: number; fn: () => void }[] = [];
  const clock = {
    rate,
    now: () => new Date(nowMs),
    realNow: () => new Date(nowMs),
    toRealMs: (ms: number) => ms / rate,
    sleep: () => new Promise<void>(() => {}),
    timer: (ms: number, fn: () => void) => {
      timers.push({ dueMs: nowMs + ms, fn });
      return () => {};
    },
  };
  const pass = async (ms: number): Promise<void> => {
    const endMs = nowMs + ms;
    for (;;) {
      await settled();
      const nextMs = Math.min(...timers.map(({ dueMs }) => dueMs));
      nowMs = Math.min(endMs, nextMs);
      if (nextMs > endMs) return;
      const due = timers.filter(({ dueMs }) => dueMs <= nowMs);
      timers = timers.filter((timer) => !due.includes(timer));
      for (const { fn } of due) fn();
    }
  };
  const asked: string[] = [];
  const saved: CallState[] = [];
  const timeline: TimelineEvent[] = [];
  const undone: string[] = [];
  const carrier: Carrier = {
    ...silentCarrier,
    attach: async () => isKnown,
    originate: async () => {
      asked.push('originate');
      return { legId: 'leg', isSent: true };
    },
    hangup: async () => void asked.push('hangup'),
    ...given,
  };
  const writes = {
    holds: async () => true,
    save: async (_: unknown, __: unknown, { state, timeline: entries }: Change) => {
      saved.push(state);
      timeline.push(...entries);
      return true;
    },
  };
  const undoDial = async (_: unknown, as: string) => undone.push(as) > 0;
  const session = createCallSession(
    { ...sessionDeps(carrier, clock), writes, undoDial },
    { call, assistant, record: [], onOver: () => {} },
  );
  const become = (known: boolean): void => {
    isKnown = known;
  };
  return { session, pass, become, asked, saved, timeline, undone };
}

describe('a dial whose worker died [campaigns.11]', () => {
  it('of a campaign is withdrawn when the carrier does not know it after the ring time, and no call', async () => {
    const { session, pass, asked, saved, undone } = inDoubt();
    session.resume();
    await pass(RESOLVED_MS - 1);
    expect(undone).toEqual([]);
    await pass(1);
    expect({ asked, saved, undone }).toEqual({ asked: ['hangup'], saved: [], undone: ['withdrawn'] });
  });

  it('is given five real seconds, however fast the clock is: its request may be on its way', async () => {
    const { session, pass, undone } = inDoubt({ rate: 1_000 });
    session.resume();
    await pass(4_999_000);
    expect(undone).toEqual([]);
    await pass(1_000);
    expect(undone).toEqual(['withdrawn']);
  });

  it('of a single call ends as dial_failed, and the timeline says why [calls.11]', async () => {
    const { session, pass, saved, timeline } = inDoubt({ call: dialingCall });
    session.resume();
    await pass(RESOLVED_MS + 1);
    expect(saved).toMatchObject([{ phase: 'ended', reason: 'dial_failed' }]);
    expect(timeline).toMatchObject([{ type: 'ended', detail: { cause: 'interrupted' } }]);
  });

  it('waits with its campaign while the workspace is suspended, and ends if the carrier knows it [trust.24]', async () => {
    const waiting = inDoubt();
    waiting.session.resume();
    await settled();
    waiting.session.stop('workspace_suspended');
    await waiting.pass(RESOLVED_MS + 1);
    expect({ saved: waiting.saved, undone: waiting.undone }).toEqual({ saved: [], undone: ['withdrawn'] });
    const known = inDoubt();
    known.session.resume();
    await settled();
    known.become(true);
    await known.pass(2_000);
    known.session.stop('workspace_suspended');
    await known.pass(20_000);
    expect(known.undone).toEqual([]);
    expect(known.saved).toMatchObject([{ phase: 'ended', reason: 'agent_hangup' }]);
  });

  it('and that cannot continue here is no call either, unless the carrier knows it', async () => {
    const unknown = inDoubt();
    unknown.session.endWithError('its assistant does not exist');
    await unknown.pass(RESOLVED_MS);
    expect({ saved: unknown.saved, undone: unknown.undone }).toEqual({ saved: [], undone: ['withdrawn'] });
    const known = inDoubt({ isKnown: true });
    known.session.endWithError('its assistant does not exist');
    await known.pass(1_000);
    const late = inDoubt();
    late.session.endWithError('its assistant does not exist');
    await late.pass(4_000);
    late.become(true);
    await late.pass(2_000);
    for (const { asked, saved, undone } of [known, late]) {
      expect({ asked, undone }).toEqual({ asked: ['hangup'], undone: [] });
      expect(saved).toMatchObject([{ phase: 'ended', reason: 'error' }]);
    }
  });
});

describe('a dial that may have left', () => {
  it('is never repeated: a carrier that throws is asked about the call', async () => {
    let dials = 0;
    const originate = (): never => {
      dials += 1;
      throw new Error('the connection broke');
    };
    const { session, pass, saved } = inDoubt({ given: { originate } });
    session.dial(departsNow);
    await pass(10_000);
    expect(dials).toBe(1);
    expect(saved).toMatchObject([{ phase: 'unknown' }]);
  });
});
