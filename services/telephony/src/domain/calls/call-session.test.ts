import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@parley/kit/time';
import {
  assistant,
  dialingCall,
  ID,
  START,
  sessionDeps,
  silentCarrier,
} from '../../../tests/session-parts.ts';
import type { Carrier, LegEvent, LegListener } from '../carrier/port.ts';
import type { CallState } from './call.ts';
import { createCallSession } from './call-session.ts';
import type { Change } from './ports.ts';

/** A clock that stands `lateMs` after the start, and whose timers run out when the test says so. */
function stoppedClock(lateMs: number) {
  const timers: (() => void)[] = [];
  const now = new Date(START.getTime() + lateMs);
  const clock: Clock = {
    rate: 1,
    now: () => now,
    realNow: () => now,
    toRealMs: (ms) => ms,
    sleep: () => new Promise(() => {}),
    timer: (_, fn) => {
      timers.push(fn);
      return () => {};
    },
  };
  return { clock, runOut: () => timers.splice(0).forEach((fn) => void fn()) };
}

/** A session that was told to dial, whose carrier does nothing by itself. */
async function dialled(lateMs = 0, losesAnswer = false) {
  const { clock, runOut } = stoppedClock(lateMs);
  const hungUp: string[] = [];
  const asked: string[] = [];
  const saved: CallState[] = [];
  let listener: LegListener = () => {};
  const carrier: Carrier = {
    ...silentCarrier,
    watch: (_, listen) => {
      listener = listen;
      return () => {};
    },
    originate: async ({ reference }) => {
      asked.push(reference);
      if (losesAnswer) throw new Error('no answer');
      return { legId: 'leg' };
    },
    hangup: async (reference) => void hungUp.push(reference),
  };
  const writes = {
    save: (_: unknown, __: unknown, { state }: Change) => {
      saved.push(state);
      return losesAnswer ? Promise.resolve(true) : new Promise<boolean>(() => {});
    },
  };
  const session = createCallSession(
    { ...sessionDeps(carrier, clock), writes },
    { call: dialingCall, assistant, record: [], onOver: () => {} },
  );
  session.dial(Promise.resolve());
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  const tell = (type: 'ringing' | 'answered') =>
    listener({ type, legId: 'leg', at: START } satisfies LegEvent);
  return { tell, runOut, hungUp, asked, saved, settled };
}

describe('dial', () => {
  it('asks the carrier once', async () => {
    const { asked, saved } = await dialled();
    expect({ asked, saved }).toEqual({ asked: [ID], saved: [] });
  });

  it('is not made up for when it would come after others may have settled the call', async () => {
    const { asked, saved } = await dialled(30_000);
    expect(asked).toEqual([]);
    expect(saved).toMatchObject([{ phase: 'ended', reason: 'dial_failed', retryable: true }]);
  });
});

describe('ringTimeout (D3.3)', () => {
  it('hangs up on a number that rings on', async () => {
    const { tell, runOut, hungUp } = await dialled();
    tell('ringing');
    runOut();
    expect(hungUp).toEqual([ID]);
  });

  it('does not cut off somebody whose answer is not written yet', async () => {
    const { tell, runOut, hungUp } = await dialled();
    tell('ringing');
    tell('answered');
    runOut();
    expect(hungUp).toEqual([]);
  });

  it('counts from the dial when the leg of a lost answer is found late', async () => {
    const { runOut, hungUp, settled } = await dialled(0, true);
    await settled();
    expect(hungUp).toEqual([]);
    // The ring time passes while nobody knows of a leg; then the carrier is asked, and has one.
    runOut();
    await settled();
    runOut();
    await settled();
    expect(hungUp).toEqual([ID]);
  });
});
