import { describe, expect, it } from '@jest/globals';
import type { Call, CallPhase } from '../sessions/call.ts';
import { endUntouched } from '../sessions/end-untouched.ts';
import type { CallEndCause } from '../sessions/judge-end.ts';
import { applyVerdict, type Circuit, CLOSED, type DialVerdict, judgeDial } from './circuit.ts';

const start = Date.parse('2026-01-31T08:00:00.000Z');
const at = (seconds: number): Date => new Date(start + seconds * 1000);
const rules = { failures: 3, firstPauseMs: 10_000, longestPauseMs: 40_000 };

const record = (circuit: Circuit, callId: string, verdict: DialVerdict, seconds: number): Circuit =>
  applyVerdict(circuit, { callId, verdict, at: at(seconds) }, rules);
const failing = (times: number): Circuit =>
  Array.from({ length: times }).reduce<Circuit>((circuit) => record(circuit, 'x', 'failed', 0), CLOSED);
/** Open, with its probe on the way. */
const probing = (openings = 1): Circuit => ({ ...failing(3), openings, probeCallId: 'p' });

describe('applyVerdict', () => {
  it('opens after consecutive failures, and probes after the first pause', () => {
    expect(failing(2)).toMatchObject({ failures: 2, openedAt: null, probeAt: null });
    expect(failing(3)).toEqual({
      failures: 3,
      lastFailedAt: at(0),
      openedAt: at(0),
      openings: 1,
      probeAt: at(10),
      probeCallId: null,
    });
  });

  it('starts over after anyone was reached, and ignores what says nothing about the carrier', () => {
    expect(record(failing(2), 'y', 'reached', 1)).toEqual(CLOSED);
    expect(record(failing(2), 'y', 'neither', 1)).toEqual(failing(2));
  });

  it('doubles the pause with each failed probe, up to the maximum', () => {
    const pauses = [1, 2, 3, 9].map((openings) => {
      const { probeAt } = record(probing(openings), 'p', 'failed', 100);
      return ((probeAt?.getTime() ?? 0) - at(100).getTime()) / 1000;
    });
    expect(pauses).toEqual([20, 40, 40, 40]);
    expect(record(probing(), 'p', 'failed', 100)).toMatchObject({ probeCallId: null, openedAt: at(0) });
  });

  it('is not extended by dials that left before it opened', () => {
    expect(record(probing(), 'earlier', 'failed', 5)).toEqual({
      ...probing(),
      failures: 4,
      lastFailedAt: at(5),
    });
  });

  it('closes when anyone is reached, by the probe or another dial', () => {
    expect(record(probing(), 'p', 'reached', 5)).toEqual(CLOSED);
    expect(record(probing(), 'earlier', 'reached', 5)).toEqual(CLOSED);
  });

  it('probes again at once if the probe never reached the carrier', () => {
    expect(record(probing(), 'p', 'neither', 50)).toMatchObject({
      probeCallId: null,
      probeAt: at(50),
      openings: 1,
    });
    expect(record(probing(), 'other', 'neither', 50)).toEqual(probing());
  });
});

const call = (phase: CallPhase, callType: Call['callType'] = 'outbound'): Call =>
  ({
    id: 'x',
    callType,
    rateCents: 10,
    state: {
      phase,
      startedAt: at(0),
      answeredAt: phase === 'up' ? at(1) : null,
      voicemailMessageLeft: false,
    },
  }) as unknown as Call;
const verdict = (phase: CallPhase, cause: CallEndCause, callType?: Call['callType']) => {
  const before = call(phase, callType);
  return judgeDial(before, endUntouched(before, cause, at(9)));
};

describe('judgeDial', () => {
  it.each(['transient', 'no_route', 'lost', 'unsettled'] as const)(
    '%s is a failure of the carrier',
    (cause) => {
      expect(verdict('dialing', cause)).toBe('failed');
    },
  );

  it.each(['busy', 'no_answer', 'remote'] as const)('%s is an answer', (cause) => {
    expect(verdict('dialing', cause)).toBe('reached');
  });

  it('a call that rang was reached, whoever hung up', () => {
    expect(verdict('ringing', 'local')).toBe('reached');
    expect(verdict('ringing', 'stopped')).toBe('reached');
    expect(verdict('dialing', 'local')).toBe('neither');
  });

  it.each(['refused', 'stopped', 'workspace_suspended', 'withdrawn', 'failed'] as const)(
    '%s says nothing about the carrier',
    (cause) => {
      expect(verdict('dialing', cause)).toBe('neither');
    },
  );

  it('an answer counts when it happens, and the end of an answered call does not', () => {
    const before = call('ringing');
    const answered = { state: { ...before.state, answeredAt: at(2) }, timeline: [] };
    expect(judgeDial(before, answered)).toBe('reached');
    expect(verdict('up', 'lost')).toBeUndefined();
    expect(
      judgeDial(before, { state: before.state, timeline: [{ type: 'ringing', at: at(1) }] }),
    ).toBeUndefined();
  });

  it.each(['inbound', 'web'] as const)('ignores a call that is %s', (callType) => {
    expect(verdict('ringing', 'transient', callType)).toBeUndefined();
  });
});
