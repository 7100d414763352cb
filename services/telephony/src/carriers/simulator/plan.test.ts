import { describe, expect, it } from '@jest/globals';
import { humanLines } from './human-lines.ts';
import { endEvent, eventsBeforeEnd, knownEnd } from './leg-events.ts';
import type { LegRecord } from './leg-record.ts';
import { planLeg } from './plan.ts';
import { nextMove } from './script.ts';

const originatedAt = new Date('2026-01-31T08:00:00.000Z');

const leg = (to: string, ordinal = 0): LegRecord => ({
  id: 'leg',
  reference: 'call',
  workspaceId: 'workspace',
  direction: 'outbound',
  from: '+12025550100',
  to,
  ordinal,
  originatedAt,
  answeredAt: null,
  givesUpAt: null,
  script: null,
  endedAt: null,
  endedCause: null,
});

const planned = (to: string, ordinal = 0) => {
  const record = leg(to, ordinal);
  const plan = planLeg(to, ordinal);
  return {
    plan,
    record,
    events: eventsBeforeEnd(record, plan).map(({ event }) => event.type),
    end: knownEnd(record, plan)?.cause ?? null,
  };
};

describe('planLeg [running.2] [running.3] [running.4]', () => {
  it.each([
    ['+14155550001', ['ringing'], 'no_answer'],
    ['+14155550002', [], 'busy'],
    ['+14155550003', ['ringing', 'answered', 'machine_detected'], null],
    ['+14155550004', [], 'transient'],
    ['+14155550005', [], 'refused'],
    ['+14155550006', ['ringing', 'answered'], null],
    ['+14155550007', ['ringing', 'answered'], null],
    ['+14155550008', ['ringing', 'answered'], 'remote'],
    ['+14155550010', ['ringing', 'answered'], null],
    ['+14155550011', ['ringing', 'answered'], null],
    ['+14155551234', ['ringing', 'answered'], null],
  ])('%s: %j, then %s', (to, events, end) => {
    expect(planned(to)).toMatchObject({ events, end });
  });

  it('0009 leaves the first call unanswered, answers the next, and so on', () => {
    const answered = [0, 1, 2, 3].map((ordinal) =>
      planned('+14155550009', ordinal).events.includes('answered'),
    );
    expect(answered).toEqual([false, true, false, true]);
  });

  it('0002 was busy, even if someone unaware of it hung up later', () => {
    const { record, plan } = planned('+14155550002');
    const hungUp = (afterMs: number) => ({
      ...record,
      endedAt: new Date(originatedAt.getTime() + afterMs),
      endedCause: 'local' as const,
    });
    expect(knownEnd(hungUp(30_000), plan)).toMatchObject({ cause: 'busy' });
    expect(knownEnd(hungUp(300), plan)).toMatchObject({ cause: 'local' });
  });

  it('0011 loses only the response to the request', () => {
    expect(planned('+14155550011').plan).toMatchObject({ losesAnswer: true, repeatsEvents: false });
  });

  it('0012 sends every event twice, and out of order', () => {
    expect(planned('+14155550012').events).toEqual(['answered', 'ringing', 'ringing', 'answered']);
  });

  it('gives the same number the same plan', () => {
    expect(planLeg('+14155551234', 0)).toEqual(planLeg('+14155551234', 0));
    expect(humanLines('+14155551234')).toEqual(humanLines('+14155551234'));
    const variety = new Set(Array.from({ length: 50 }, (_, i) => humanLines(`+1415555${2000 + i}`).join()));
    expect(variety.size).toBeGreaterThan(10);
  });

  it('answers after a short ring', () => {
    for (let i = 2000; i < 2200; i += 1) {
      const { answeredMs } = planLeg(`+1415555${i}`, 0);
      expect(answeredMs).toBeGreaterThanOrEqual(1000);
      expect(answeredMs).toBeLessThan(2000);
    }
  });
});

describe('endEvent', () => {
  it('includes the answer and the machine, as far as the leg got', () => {
    const { record, plan } = planned('+14155550003');
    const at = (ms: number): Date => new Date(originatedAt.getTime() + ms);
    expect(endEvent(record, plan, { cause: 'local', at: at(5000) })).toMatchObject({
      machine: true,
      answeredAt: at(plan.answeredMs ?? 0),
    });
    expect(endEvent(record, plan, { cause: 'local', at: at(500) })).toMatchObject({
      machine: false,
      answeredAt: null,
    });
  });
});

describe('nextMove', () => {
  it('says its lines and hangs up', () => {
    const { script } = planLeg('+14155551234', 0);
    const lines = humanLines('+14155551234');
    expect(nextMove(script, 0, null)).toEqual({ type: 'say', line: lines[0] });
    expect(nextMove(script, lines.length, 'Goodbye')).toEqual({ type: 'hang_up' });
  });

  it('0007 never stops', () => {
    expect(nextMove(planLeg('+14155550007', 0).script, 1000, 'Well')).toMatchObject({ type: 'say' });
  });

  it('0010 asks for one tool after the other until there are no more', () => {
    const { script } = planLeg('+14155550010', 0);
    expect(nextMove(script, 0, 'Hello')).toMatchObject({
      line: expect.stringMatching(/first of your tools/),
    });
    expect(nextMove(script, 1, 'Done')).toMatchObject({ line: expect.stringMatching(/next of your tools/) });
    expect(nextMove(script, 2, 'I have no more tools to use.')).toEqual({ type: 'hang_up' });
  });

  it('0006 says nothing', () => {
    expect(nextMove(planLeg('+14155550006', 0).script, 0, 'Hello?')).toEqual({ type: 'wait' });
  });
});
