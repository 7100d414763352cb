import { describe, expect, it } from '@jest/globals';
import { assistant, snapshot } from '../../tests/session-parts.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import { freeSlots, nextSlotMs, planSlots, type SlotFacts } from './plan-slots.ts';

const now = new Date('2026-01-31T08:00:00.000Z');
const after = (ms: number): Date => new Date(now.getTime() + ms);

const number: NumberPace = {
  phoneNumberId: 'n',
  workspaceId: 'w',
  phoneNumber: '+14155550100',
  isActive: true,
  maxCps: 10,
  nextSlotMs: now.getTime(),
  probeAt: null,
};

const request = (callId: string, given: Partial<DialRequest> = {}): DialRequest => ({
  callId,
  workspaceId: 'w',
  phoneNumberId: 'n',
  agentId: 'a',
  toNumber: '+14155551234',
  dynamicVariables: {},
  requestedAt: now,
  campaign: null,
  ...given,
});

const campaign = (generation = 1, campaignId = 'c', notAfter: Date | null = null) => ({
  campaignId,
  contactId: 'x',
  generation,
  notAfter,
});

const facts = (given: Partial<SlotFacts> = {}): SlotFacts => ({
  now,
  begin: now,
  end: after(250),
  numbers: new Map([['n', number]]),
  generations: new Map(),
  assistants: new Map([['a', {}]]),
  deletedAgents: new Set(),
  onDoNotCallList: new Set(),
  limits: new Map(),
  freeCalls: 100,
  remainingCalls: new Map([['w', 20]]),
  prepare: () => ({ snapshot, assistant, rateCents: 0 }),
  ...given,
});

const planned = (requests: DialRequest[], given: Partial<SlotFacts> = {}) =>
  planSlots(requests, facts(given)).dials.map(({ request: { callId }, slot }) => [
    callId,
    slot.getTime() - now.getTime(),
  ]);

describe('planSlots [campaigns.10]', () => {
  it('gives the capacity of the worker to the workspaces in turn, however old the requests of one are [trust.1]', () => {
    const other = { ...number, phoneNumberId: 'm', workspaceId: 'v' };
    const old = ['a', 'b', 'c', 'd'].map((id, n) => request(id, { requestedAt: after(n - 10_000) }));
    const of = { workspaceId: 'v', phoneNumberId: 'm' };
    const young = [request('y', of), request('z', { ...of, requestedAt: after(1) })];
    const numbers = new Map([
      ['n', { ...number, maxCps: 100 }],
      ['m', { ...other, maxCps: 100 }],
    ]);
    const ids = (freeCalls: number) => planned([...old, ...young], { freeCalls, numbers }).map(([id]) => id);
    expect([ids(3), ids(5)]).toEqual([
      ['a', 'y', 'b'],
      ['a', 'y', 'b', 'z', 'c'],
    ]);
  });

  it('reserves the slots of a number in the span, for the oldest request first', () => {
    const requests = [request('d'), request('b', { requestedAt: after(-5) }), request('a'), request('c')];
    expect(planned(requests)).toEqual([
      ['b', 0],
      ['a', 100],
      ['c', 200],
    ]);
  });

  it('loses unused past slots', () => {
    const numbers = new Map([['n', { ...number, nextSlotMs: after(-1_000).getTime() }]]);
    expect(planned([request('a'), request('b')], { numbers })).toEqual([
      ['a', 0],
      ['b', 100],
    ]);
  });

  it('reserves no more slots than the worker has free calls', () => {
    expect(planned([request('a'), request('b')], { freeCalls: 1 })).toEqual([['a', 0]]);
  });

  it("refuses numbers on the workspace's do-not-call list, whatever else applies [calls.3]", () => {
    const off = {
      numbers: new Map([['n', { ...number, isActive: false }]]),
      onDoNotCallList: new Set(['b', 'c']),
    };
    const { dials, refusals } = planSlots(
      [request('a'), request('b'), request('c', { campaign: campaign() })],
      facts({ onDoNotCallList: off.onDoNotCallList }),
    );
    expect(dials.map((dial) => dial.request.callId)).toEqual(['a']);
    expect(refusals.map(({ request: { callId }, reason }) => [callId, reason])).toEqual([
      ['b', 'do_not_call'],
      ['c', 'do_not_call'],
    ]);
    expect(planSlots([request('b')], facts(off)).refusals[0]?.reason).toBe('do_not_call');
  });

  it('lets requests wait whose assistant is unreachable, single calls for at most five minutes', () => {
    const asked = after(-5 * 60_000);
    const requests = [
      request('young', { agentId: 'x', requestedAt: after(-5 * 60_000 + 1) }),
      request('old', { agentId: 'x', requestedAt: asked }),
      request('of campaign', { agentId: 'x', requestedAt: asked, campaign: campaign() }),
      request('other', { requestedAt: asked }),
    ];
    const { dials, refusals } = planSlots(requests, facts());
    expect(dials.map((dial) => dial.request.callId)).toEqual(['other']);
    expect(refusals.map((refusal) => [refusal.request.callId, refusal.reason])).toEqual([
      ['old', 'assistant_unreachable'],
    ]);
  });

  it('continues from the clock, and never accumulates unused slots', () => {
    const at = (next: Date) => ({ numbers: new Map([['n', { ...number, nextSlotMs: next.getTime() }]]) });
    expect(planned([request('a'), request('b')], at(after(180)))).toEqual([['a', 180]]);
    expect(planned([request('a'), request('b')], at(after(-5000)))).toEqual([
      ['a', 0],
      ['b', 100],
    ]);
    expect(planSlots([request('a')], facts()).clocks.get('n')).toBe(after(100).getTime());
  });

  it.each([0.1, 0.3, 1, 3, 7, 30, 100, 333])('dials at exactly %d a second', (maxCps) => {
    let nextSlotMs = now.getTime();
    const times: number[] = [];
    for (let ms = 0; ms < 20_000; ms += 33) {
      const plan = planSlots([request('a'), request('b'), request('c')], {
        ...facts(),
        now: after(ms),
        begin: after(ms),
        end: after(ms + 50),
        numbers: new Map([['n', { ...number, maxCps, nextSlotMs }]]),
      });
      nextSlotMs = plan.clocks.get('n') ?? nextSlotMs;
      times.push(...plan.dials.map(({ slot }) => slot.getTime()));
    }
    // Each is where it belongs, to the millisecond: no rounding adds up.
    for (const [i, at] of times.entries()) {
      const late = at - now.getTime() - (i * 1000) / maxCps;
      expect(late).toBeGreaterThan(-0.51);
      if (maxCps < 60) expect(late).toBeLessThan(0.51);
    }
  });

  it("lets campaigns wait for the workspace's concurrency, and single calls pass them", () => {
    const requests = [
      request('a', { campaign: campaign(), requestedAt: after(-3) }),
      request('b', { campaign: campaign(), requestedAt: after(-2) }),
      request('c'),
    ];
    const remainingCalls = new Map([['w', 1]]);
    expect(planned(requests, { remainingCalls })).toEqual([
      ['a', 0],
      ['c', 100],
    ]);
  });

  it('refuses permanently what a campaign withdrew, an inactive (single calls) or deleted number, and a deleted assistant', () => {
    const reason = (given: Partial<SlotFacts>, dial = request('a')) =>
      planSlots([dial], facts(given)).refusals.map((refusal) => refusal.reason);
    const generations = new Map([['c', 2]]);
    expect(reason({ generations }, request('a', { campaign: campaign(1) }))).toEqual(['withdrawn']);
    expect(reason({ generations }, request('a', { campaign: campaign(2) }))).toEqual([]);
    expect(reason({ numbers: new Map([['n', null]]) })).toEqual(['number_unavailable']);
    const off = new Map([['n', { ...number, isActive: false }]]);
    expect(reason({ numbers: off })).toEqual(['number_unavailable']);
    expect(reason({ deletedAgents: new Set(['a']) })).toEqual(['agent_unavailable']);
  });

  it("reserves nothing from the closing of the campaign's hours on, and returns what is left then", () => {
    const closing = (id: string) => request(id, { campaign: campaign(1, 'c', after(100)) });
    expect(planned([closing('a'), closing('b'), request('c')])).toEqual([
      ['a', 0],
      ['c', 100],
    ]);
    expect(planned([closing('a')], { now: after(99), begin: after(99) })).toEqual([['a', 99]]);
    const late = planSlots([closing('a')], facts({ now: after(100) }));
    expect(late.dials).toEqual([]);
    expect(late.refusals.map(({ reason }) => reason)).toEqual(['withdrawn']);
  });

  it('lets a campaign wait for an inactive number', () => {
    const numbers = new Map([['n', { ...number, isActive: false }]]);
    const plan = planSlots([request('a', { campaign: campaign(1) })], facts({ numbers }));
    expect(plan).toMatchObject({ dials: [], refusals: [] });
  });

  it('lets requests wait that others have locked, and whose conditions are unknown', () => {
    expect(planSlots([request('a')], facts({ numbers: new Map() }))).toMatchObject({
      dials: [],
      refusals: [],
    });
    expect(planSlots([request('a')], facts({ assistants: new Map() }))).toMatchObject({
      dials: [],
      refusals: [],
    });
  });
});

describe('nextSlotMs', () => {
  const span = { begin: now, end: after(375) };
  const next = (inMs: number, maxCps = 10): number =>
    nextSlotMs({ ...number, maxCps, nextSlotMs: now.getTime() + inMs }, span) - now.getTime();

  it('is what the clock of the number says, also of a slow number', () => {
    expect(next(-1_000)).toBe(-1_000);
    expect(next(750 + 100)).toBe(850);
    expect(next(750 + 10_000, 0.1)).toBe(10_750);
    expect(next(60_000)).toBe(60_000);
  });

  it('is now if the clock of a worker was an hour ahead', () => {
    expect(next(3_600_000)).toBe(0);
    const numbers = new Map([['n', { ...number, nextSlotMs: after(3_600_000).getTime() }]]);
    expect(planned([request('a'), request('b')], { numbers })).toEqual([
      ['a', 0],
      ['b', 100],
    ]);
  });
});

describe('freeSlots', () => {
  it('counts what planSlots would reserve', () => {
    expect(freeSlots(number, { begin: now, end: after(250) })).toBe(3);
    expect(freeSlots({ ...number, nextSlotMs: after(251).getTime() }, { begin: now, end: after(250) })).toBe(
      0,
    );
  });

  it('reserves one probe of a number with an open circuit for campaigns when it is due, and slots for single calls as usual', () => {
    const requests = [
      request('a', { campaign: campaign() }),
      request('b', { campaign: campaign(), requestedAt: after(1) }),
      request('c', { requestedAt: after(2) }),
    ];
    const open = (probeAt: Date) => ({ numbers: new Map([['n', { ...number, probeAt }]]) });
    expect(planned(requests, open(after(1000)))).toEqual([['c', 0]]);
    expect(planned(requests, open(after(-1)))).toEqual([
      ['a', 0],
      ['c', 100],
    ]);
    expect(planSlots(requests, facts(open(after(-1)))).probes).toEqual(
      new Map([['n', { callId: 'a', until: after(180_000) }]]),
    );
    expect(planSlots(requests, facts(open(after(1000)))).probes).toEqual(new Map());
  });
});
