import { describe, expect, it } from '@jest/globals';
import { type GrantFacts, type NumberPace, openSlots, planGrants, type WaitingDial } from './plan-grants.ts';

const now = new Date('2026-01-31T08:00:00.000Z');
const after = (ms: number): Date => new Date(now.getTime() + ms);

const number: NumberPace = {
  phoneNumberId: 'n',
  workspaceId: 'w',
  phoneNumber: '+14155550100',
  isActive: true,
  maxCps: 10,
  nextDialMs: now.getTime(),
  othersDialMs: null,
  lateMs: 0,
  probeAt: null,
};

const request = (callId: string, given: Partial<WaitingDial> = {}): WaitingDial => ({
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

const facts = (given: Partial<GrantFacts> = {}): GrantFacts => ({
  now,
  until: after(250),
  numbers: new Map([['n', number]]),
  gates: new Map(),
  agents: new Set(['a']),
  goneAgents: new Set(),
  unwanted: new Set(),
  room: new Map([['w', 20]]),
  ...given,
});

const granted = (requests: WaitingDial[], given: Partial<GrantFacts> = {}) =>
  planGrants(requests, facts(given)).grants.map(({ request: { callId }, at }) => [
    callId,
    at.getTime() - now.getTime(),
  ]);

describe('planGrants [campaigns.10]', () => {
  it('grants the slots of a number up to the horizon, oldest request first', () => {
    const requests = [request('d'), request('b', { requestedAt: after(-5) }), request('a'), request('c')];
    expect(granted(requests)).toEqual([
      ['b', 0],
      ['a', 100],
      ['c', 200],
    ]);
  });

  it('grants slots that went by a moment ago to whoever catches up with them, and none from before the request', () => {
    const numbers = new Map([['n', { ...number, nextDialMs: after(-1_000).getTime(), lateMs: 150 }]]);
    const requests = [
      request('a', { requestedAt: after(-5_000) }),
      request('b', { requestedAt: after(-20) }),
    ];
    expect(granted(requests, { numbers })).toEqual([
      ['a', -150],
      ['b', -20],
    ]);
    expect(granted([request('c', { requestedAt: after(5_000) })], { numbers })).toEqual([['c', 0]]);
  });

  it('refuses what its workspace does not want called, whatever else is the matter with it [calls.3]', () => {
    const off = { numbers: new Map([['n', { ...number, isActive: false }]]), unwanted: new Set(['b', 'c']) };
    const { grants, refusals } = planGrants(
      [request('a'), request('b'), request('c', { campaign: campaign() })],
      facts({ unwanted: off.unwanted }),
    );
    expect(grants.map((grant) => grant.request.callId)).toEqual(['a']);
    expect(refusals.map(({ request: { callId }, reason }) => [callId, reason])).toEqual([
      ['b', 'do_not_call'],
      ['c', 'do_not_call'],
    ]);
    expect(planGrants([request('b')], facts(off)).refusals[0]?.reason).toBe('do_not_call');
  });

  it('lets requests wait whose assistant could not be asked for, and single calls no longer than five minutes', () => {
    const asked = after(-5 * 60_000);
    const requests = [
      request('young', { agentId: 'x', requestedAt: after(-5 * 60_000 + 1) }),
      request('old', { agentId: 'x', requestedAt: asked }),
      request('of campaign', { agentId: 'x', requestedAt: asked, campaign: campaign() }),
      request('other', { requestedAt: asked }),
    ];
    const { grants, refusals } = planGrants(requests, facts());
    expect(grants.map((grant) => grant.request.callId)).toEqual(['other']);
    expect(refusals.map((refusal) => [refusal.request.callId, refusal.reason])).toEqual([
      ['old', 'assistant_unreachable'],
    ]);
  });

  it('goes on from where the clock stands, and never earns unused slots', () => {
    const at = (next: Date) => ({ numbers: new Map([['n', { ...number, nextDialMs: next.getTime() }]]) });
    expect(granted([request('a'), request('b')], at(after(180)))).toEqual([['a', 180]]);
    expect(granted([request('a'), request('b')], at(after(-5000)))).toEqual([
      ['a', 0],
      ['b', 100],
    ]);
    expect(planGrants([request('a')], facts()).clocks.get('n')).toBe(after(100).getTime());
  });

  it.each([0.1, 0.3, 1, 3, 7, 30, 100, 333])('never dials faster than %d a second, nor slower', (maxCps) => {
    let nextDialMs = now.getTime();
    const times: number[] = [];
    for (let ms = 0; ms < 20_000; ms += 33) {
      const plan = planGrants([request('a'), request('b'), request('c')], {
        ...facts(),
        now: after(ms),
        until: after(ms + 50),
        numbers: new Map([['n', { ...number, maxCps, nextDialMs }]]),
      });
      nextDialMs = plan.clocks.get('n') ?? nextDialMs;
      times.push(...plan.grants.map(({ at }) => at.getTime()));
    }
    // Each is where it belongs, to the millisecond: no rounding adds up.
    for (const [i, at] of times.entries()) {
      const late = at - now.getTime() - (i * 1000) / maxCps;
      expect(late).toBeGreaterThan(-0.51);
      if (maxCps < 60) expect(late).toBeLessThan(0.51);
    }
  });

  it('lets campaigns wait for room in the workspace, and single calls pass them', () => {
    const requests = [
      request('a', { campaign: campaign(), requestedAt: after(-3) }),
      request('b', { campaign: campaign(), requestedAt: after(-2) }),
      request('c'),
    ];
    const room = new Map([['w', 1]]);
    expect(granted(requests, { room })).toEqual([
      ['a', 0],
      ['c', 100],
    ]);
  });

  it('refuses for good what a campaign withdrew, a number that is off (single calls) or gone, and an assistant that is gone', () => {
    const reason = (given: Partial<GrantFacts>, dial = request('a')) =>
      planGrants([dial], facts(given)).refusals.map((refusal) => refusal.reason);
    const gates = new Map([['c', 2]]);
    expect(reason({ gates }, request('a', { campaign: campaign(1) }))).toEqual(['withdrawn']);
    expect(reason({ gates }, request('a', { campaign: campaign(2) }))).toEqual([]);
    expect(reason({ numbers: new Map([['n', null]]) })).toEqual(['number_unavailable']);
    const off = new Map([['n', { ...number, isActive: false }]]);
    expect(reason({ numbers: off })).toEqual(['number_unavailable']);
    expect(reason({ goneAgents: new Set(['a']) })).toEqual(['agent_unavailable']);
  });

  it('grants nothing from the instant on at which the hours of its campaign close, and gives back what is left then', () => {
    const closing = (id: string) => request(id, { campaign: campaign(1, 'c', after(100)) });
    expect(granted([closing('a'), closing('b'), request('c')])).toEqual([
      ['a', 0],
      ['c', 100],
    ]);
    expect(granted([closing('a')], { now: after(99) })).toEqual([['a', 99]]);
    const late = planGrants([closing('a')], facts({ now: after(100) }));
    expect(late.grants).toEqual([]);
    expect(late.refusals.map(({ reason }) => reason)).toEqual(['withdrawn']);
  });

  it('leaves a campaign waiting for a number that is switched off', () => {
    const numbers = new Map([['n', { ...number, isActive: false }]]);
    const plan = planGrants([request('a', { campaign: campaign(1) })], facts({ numbers }));
    expect(plan).toMatchObject({ grants: [], refusals: [] });
  });

  it('leaves waiting what others hold, and what nobody could be asked about', () => {
    expect(planGrants([request('a')], facts({ numbers: new Map() }))).toMatchObject({
      grants: [],
      refusals: [],
    });
    expect(planGrants([request('a')], facts({ agents: new Set() }))).toMatchObject({
      grants: [],
      refusals: [],
    });
  });
});

describe('openSlots', () => {
  it('counts what planGrants would grant', () => {
    expect(openSlots(number, now, after(250))).toBe(3);
    expect(openSlots({ ...number, nextDialMs: after(251).getTime() }, now, after(250))).toBe(0);
  });

  it('grants campaigns one attempt of a number whose circuit is open, when its time has come, and single calls as ever', () => {
    const requests = [
      request('a', { campaign: campaign() }),
      request('b', { campaign: campaign(), requestedAt: after(1) }),
      request('c', { requestedAt: after(2) }),
    ];
    const open = (probeAt: Date) => ({ numbers: new Map([['n', { ...number, probeAt }]]) });
    expect(granted(requests, open(after(1000)))).toEqual([['c', 0]]);
    expect(granted(requests, open(after(-1)))).toEqual([
      ['a', 0],
      ['c', 100],
    ]);
    expect(planGrants(requests, facts(open(after(-1)))).probes).toEqual(
      new Map([['n', { callId: 'a', until: after(180_000) }]]),
    );
    expect(planGrants(requests, facts(open(after(1000)))).probes).toEqual(new Map());
  });
});
