import { describe, expect, it } from '@jest/globals';
import type { Clock } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { assistant, dialingCall, ID, START, sessionDeps, silentCarrier } from '../../tests/session-parts.ts';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import type { EndCause, LegEvent, LegListener, ProviderCause } from '../carriers/call-control.ts';
import type { Carrier } from '../carriers/carrier.ts';
import { type Departure, departureOf } from '../dialer/dialer.ts';
import type { ConversationEngine } from '../engines/engine.ts';
import type { CallState } from './call.ts';
import type { Change } from './ports.ts';
import { createCallSession } from './session.ts';

/** A clock stopped at `lateMs` after the start, whose timers fire when the test decides. */
function stoppedClock(lateMs: number) {
  const timers: (() => void)[] = [];
  const waitsMs: number[] = [];
  const now = new Date(START.getTime() + lateMs);
  const clock: Clock = {
    rate: 1,
    now: () => now,
    realNow: () => now,
    toRealMs: (ms) => ms,
    sleep: () => new Promise(() => {}),
    timer: (ms, fn) => {
      waitsMs.push(ms);
      timers.push(fn);
      return () => {};
    },
  };
  return { clock, waitsMs, runOut: () => timers.splice(0).forEach((fn) => void fn()) };
}

/** Says one line. */
const greets: ConversationEngine = {
  capabilities: { nonBlockingTools: false },
  run: async ({ port, signal }) => {
    await port.say('Hello', signal);
    await new Promise(() => {});
  },
};

/** A session that was told to dial, whose carrier does nothing by itself. */
async function dialed({
  lateMs = 0,
  intervalMs = 1_000,
  losesAnswer = false,
  isSlow = false,
  isLive = true,
  media = true,
  endsSilentLegs = false,
  undoes = true,
  saves = true,
} = {}) {
  const { clock, waitsMs, runOut } = stoppedClock(lateMs);
  const over: string[] = [];
  /** The owner of the call according to the database. */
  let holder: 'us' | 'another' | 'unknown' = 'us';
  const hungUp: string[] = [];
  let connect = (): void => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const asked: string[] = [];
  const saved: CallState[] = [];
  const timeline: TimelineEvent[] = [];
  const said: string[] = [];
  let hasMedia = media;
  let listener: LegListener = () => {};
  const carrier: Carrier = {
    ...silentCarrier,
    capabilities: { ...silentCarrier.capabilities, endsSilentLegs },
    watch: (_, listen) => {
      listener = listen;
      return () => {};
    },
    originate: async ({ reference }) => {
      asked.push(reference);
      if (isSlow) await connected;
      if (losesAnswer) throw new Error('no answer');
      return { legId: 'leg', isSent: true };
    },
    hangup: async (reference) => void hungUp.push(reference),
    media: () =>
      hasMedia
        ? {
            kind: 'text',
            line: { say: async (text) => void said.push(text), hear: () => new Promise(() => {}) },
          }
        : undefined,
  };
  const writes = {
    holds: async () => {
      if (holder === 'unknown') throw new Error('the lease has run out');
      return holder === 'us';
    },
    save: async (_: unknown, __: unknown, { state, timeline: entries }: Change) => {
      saved.push(state);
      timeline.push(...entries);
      return saves || new Promise<boolean>(() => {});
    },
  };
  const undone: string[] = [];
  const undoDial = async (_: unknown, as: string) => {
    undone.push(as);
    return undoes;
  };
  const owner = { workerId: ID, isLive: () => isLive };
  const session = createCallSession(
    { ...sessionDeps(carrier, clock), writes, owner, undoDial, findEngine: () => greets },
    { call: dialingCall, assistant, record: [], onOver: (outcome) => over.push(outcome) },
  );
  session.dial(departureOf({ clock, owner, onDeparture: () => {} }, { slot: START, intervalMs }));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  const emit = (type: 'ringing' | 'answered' | 'media') =>
    listener({ type, legId: 'leg', at: START } satisfies LegEvent);
  const end = (cause: EndCause, afterMs: number, provider?: ProviderCause) => {
    const at = new Date(START.getTime() + afterMs);
    const answeredAt = cause === 'no_carrier' ? null : START;
    const ended = { type: 'ended', legId: 'leg', at, cause, answeredAt, machine: false } as const;
    listener(provider ? { ...ended, provider } : ended);
  };
  const setHolder = (now: typeof holder): void => {
    holder = now;
  };
  const connectMedia = (): void => {
    hasMedia = true;
  };
  const observed = { waitsMs, hungUp, asked, saved, timeline, said, over, undone };
  return { ...observed, emit, end, runOut, settled, setHolder, connect, connectMedia };
}

describe('dial', () => {
  it('dials once at the carrier', async () => {
    const { asked, saved } = await dialed();
    expect({ asked, saved }).toEqual({ asked: [ID], saved: [] });
  });

  it('is recorded as of when it left, with the next change', async () => {
    const { emit, saved, settled } = await dialed({ lateMs: 200 });
    emit('ringing');
    await settled();
    expect(saved).toMatchObject([{ phase: 'ringing', startedAt: new Date(START.getTime() + 200) }]);
  });

  it('leaves up to 250 ms after its slot; later it is undone, and was no call [campaigns.10] [campaigns.11]', async () => {
    expect((await dialed({ lateMs: 240 })).asked).toEqual([ID]);
    const { asked, saved, undone, over } = await dialed({ lateMs: 251 });
    expect({ asked, saved, undone, over }).toEqual({
      asked: [],
      saved: [],
      undone: ['waiting'],
      over: ['undone'],
    });
  });

  it('leaves before the next slot begins, unless slots are too short for timers [campaigns.10]', async () => {
    expect((await dialed({ lateMs: 90, intervalMs: 100 })).asked).toEqual([ID]);
    expect((await dialed({ lateMs: 100, intervalMs: 100 })).undone).toEqual(['waiting']);
    expect((await dialed({ lateMs: 240, intervalMs: 10 })).asked).toEqual([ID]);
  });

  it('does not leave any more once a step after its departure took too long [campaigns.10]', () => {
    const clock = { ...stoppedClock(0).clock };
    const at = (lateMs: number, intervalMs: number, isLive = true): boolean => {
      const now = () => new Date(START.getTime() + lateMs);
      const given = { clock: { ...clock, now }, owner: { workerId: ID, isLive: () => isLive } };
      return departureOf({ ...given, onDeparture: () => {} }, { slot: START, intervalMs }).isTooLate();
    };
    expect([at(-100, 1_000), at(240, 1_000), at(90, 100), at(240, 10)]).toEqual([false, false, false, false]);
    expect([at(260, 1_000), at(100, 100), at(260, 10), at(0, 1_000, false)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it.each<[string, { ready: () => Promise<boolean>; isTooLate?: boolean; isSent?: boolean }, string[]]>([
    ['it is ready', { ready: async () => true }, ['prepared', 'slot', 'sent']],
    [
      'it has no way to its trunk, which it reports at once',
      { ready: async () => false },
      ['prepared', 'sent'],
    ],
    [
      'the way to its trunk was looked for until it was too late: its campaign may be paused by now',
      { ready: async () => false, isTooLate: true },
      ['prepared', 'undone as waiting'],
    ],
    [
      'it could not be prepared, and waits for a later slot',
      { ready: () => Promise.reject(new Error('no database')) },
      ['prepared', 'undone as waiting'],
    ],
    [
      'its carrier could not send it in time',
      { ready: async () => true, isSent: false },
      ['prepared', 'slot', 'sent', 'undone as waiting'],
    ],
  ])('the carrier is prepared before the slot: %s', async (_, { ready, isTooLate, isSent }, expected) => {
    const steps: string[] = [];
    const carrier: Carrier = {
      ...silentCarrier,
      prepare: () => {
        steps.push('prepared');
        return ready();
      },
      originate: async () => {
        steps.push('sent');
        return { legId: 'leg', isSent: isSent ?? true };
      },
    };
    const departure: Departure = {
      leave: async (depart) => {
        steps.push('slot');
        return depart();
      },
      isTooLate: () => isTooLate ?? false,
    };
    const undoDial = async (_: unknown, as: string) => steps.push(`undone as ${as}`) > 0;
    const session = createCallSession(
      { ...sessionDeps(carrier, stoppedClock(0).clock), undoDial },
      {
        ...{ call: dialingCall, assistant, record: [], onOver: () => {} },
      },
    );
    session.dial(departure);
    await new Promise((resolve) => setImmediate(resolve));
    expect(steps).toEqual(expected);
  });

  it('ends the call if it cannot be undone because a client has stopped it', async () => {
    const { asked, saved, over } = await dialed({ lateMs: 251, undoes: false });
    expect({ asked, over }).toEqual({ asked: [], over: ['ended'] });
    expect(saved).toMatchObject([{ phase: 'ended', reason: 'agent_hangup' }]);
  });
});

describe('a slow carrier', () => {
  const gaveUp = async (given: Parameters<typeof dialed>[0]) => {
    const call = await dialed({ isSlow: true, ...given });
    // The ring time is over: there is nothing to hang up yet, and the call ends without the carrier's report.
    call.runOut();
    await call.settled();
    call.runOut();
    await call.settled();
    expect(call.saved).toMatchObject([{ phase: 'ended', reason: 'dial_no_answer' }]);
    expect(call.hungUp).toEqual([ID]);
    call.connect();
    await call.settled();
    return call;
  };

  it('has its leg hung up as soon as it exists, although the call is over', async () => {
    expect((await gaveUp({})).hungUp).toEqual([ID, ID]);
  });

  it('even if its response was lost, because a leg may exist', async () => {
    expect((await gaveUp({ losesAnswer: true })).hungUp).toEqual([ID, ID]);
  });
});

describe('a worker that was suspended', () => {
  it('sends no dial without a lease', async () => {
    const { asked, saved, undone } = await dialed({ isLive: false });
    expect({ asked, saved, undone }).toEqual({ asked: [], saved: [], undone: ['waiting'] });
  });

  it('does not hang up a call that another worker now holds', async () => {
    const { emit, runOut, hungUp, over, saved, settled, setHolder } = await dialed();
    emit('ringing');
    await settled();
    setHolder('another');
    runOut();
    await settled();
    expect({ hungUp, over }).toEqual({ hungUp: [], over: ['lost'] });
    expect(saved.map(({ phase }) => phase)).toEqual(['ringing']);
  });

  it('sends nothing to the carrier while the owner of the call is unknown', async () => {
    const { emit, runOut, hungUp, settled, setHolder } = await dialed();
    emit('ringing');
    await settled();
    setHolder('unknown');
    runOut();
    await settled();
    expect(hungUp).toEqual([]);
    setHolder('us');
    await eventually(() => expect(hungUp).toEqual([ID]));
  });
});

describe('maxCallDuration [assistants.10]', () => {
  it('ends with timeout, even if the carrier counts slightly less', async () => {
    const { emit, end, runOut, hungUp, saved, settled } = await dialed();
    emit('answered');
    await settled();
    runOut();
    await settled();
    end('local', 3_599_990);
    await settled();
    expect(hungUp).toEqual([ID]);
    expect(saved.at(-1)).toMatchObject({ phase: 'ended', reason: 'timeout' });
  });
});

describe('a call that the platform cannot continue', () => {
  it('is hung up and ends with error if its carrier has no media ten seconds after the answer [calls.20]', async () => {
    const { emit, end, runOut, hungUp, saved, timeline, waitsMs, settled } = await dialed({ media: false });
    emit('answered');
    await settled();
    expect({ hungUp, waited: waitsMs.includes(10_000) }).toEqual({ hungUp: [], waited: true });
    runOut();
    await settled();
    end('local', 10);
    await settled();
    expect(hungUp).toEqual([ID]);
    expect(saved.at(-1)).toMatchObject({ phase: 'ended', reason: 'error' });
    expect(timeline.at(-1)).toMatchObject({ type: 'ended', detail: { cause: 'no_media' } });
  });

  it('is left to a carrier that ends silent legs itself [calls.20]', async () => {
    const { emit, runOut, hungUp, waitsMs, settled } = await dialed({ media: false, endsSilentLegs: true });
    emit('answered');
    await settled();
    runOut();
    await settled();
    expect({ hungUp, waited: waitsMs.includes(10_000) }).toEqual({ hungUp: [], waited: false });
  });

  it('continues if the media becomes available after the answer, but in time', async () => {
    const { emit, connectMedia, said, settled } = await dialed({ media: false });
    emit('answered');
    await settled();
    connectMedia();
    emit('media');
    await settled();
    expect(said).toHaveLength(1);
    const early = await dialed();
    early.emit('media');
    early.emit('answered');
    await early.settled();
    expect(early.said).toHaveLength(1);
  });

  it("ends as dial_failed with the carrier's reason if the carrier of the number is not configured", async () => {
    const { end, saved, timeline, settled } = await dialed();
    end('no_carrier', 0, { code: null, text: 'No carrier is configured' });
    await settled();
    expect(saved.at(-1)).toMatchObject({ phase: 'ended', reason: 'dial_failed', retryable: true });
    expect(timeline.at(-1)).toMatchObject({
      detail: { cause: 'no_carrier', provider_text: 'No carrier is configured' },
    });
  });
});

describe('ringTimeout [assistants.10]', () => {
  it('starts when the dial leaves, not at its slot', async () => {
    const { asked, waitsMs } = await dialed({ lateMs: 200 });
    expect({ asked, waitsMs }).toEqual({ asked: [ID], waitsMs: [30_000] });
  });

  it('hangs up on a number that keeps ringing', async () => {
    const { emit, runOut, hungUp, settled } = await dialed();
    emit('ringing');
    await settled();
    runOut();
    await settled();
    expect(hungUp).toEqual([ID]);
  });

  it('does not cut off an answer that is not written yet', async () => {
    const { emit, runOut, hungUp, settled } = await dialed({ saves: false });
    emit('ringing');
    emit('answered');
    runOut();
    await settled();
    expect(hungUp).toEqual([]);
  });

  it('starts at the dial even if the leg of a lost response is found late', async () => {
    const { runOut, hungUp, settled } = await dialed({ losesAnswer: true });
    await settled();
    expect(hungUp).toEqual([]);
    // The ring time passes without a known leg; then the carrier is queried, and has one.
    runOut();
    await settled();
    runOut();
    await settled();
    expect(hungUp).toEqual([ID]);
  });
});
