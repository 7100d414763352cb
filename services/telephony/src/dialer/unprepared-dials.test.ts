import { describe, expect, it } from '@jest/globals';
import { assistant, snapshot } from '../../tests/session-parts.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import { planSlots, type SlotFacts } from './plan-slots.ts';

const now = new Date('2026-01-31T08:00:00.000Z');
const after = (ms: number): Date => new Date(now.getTime() + ms);
const PREPARED = { snapshot, assistant, rateCents: 0 };
const OF_CAMPAIGN = { campaign: { campaignId: 'c', contactId: 'x', generation: 1, notAfter: null } };
const OTHER = { workspaceId: 'v', phoneNumberId: 'm' };

const request = (callId: string, given: Partial<DialRequest> = {}): DialRequest => ({
  ...{ callId, workspaceId: 'w', phoneNumberId: 'n', agentId: 'a', toNumber: '+14155551234' },
  ...{ dynamicVariables: {}, requestedAt: now, campaign: null },
  ...given,
});

const numbers = (probeAt: Date | null = null): Map<string, NumberPace> =>
  new Map(
    [
      ['n', 'w'],
      ['m', 'v'],
    ].map(([phoneNumberId = '', workspaceId = '']) => [
      phoneNumberId,
      {
        ...{ phoneNumberId, workspaceId, phoneNumber: '+14155550100', isActive: true, maxCps: 10 },
        ...{ nextSlotMs: now.getTime(), probeAt: phoneNumberId === 'n' ? probeAt : null },
      },
    ]),
  );

const facts = (given: Partial<SlotFacts>): SlotFacts => ({
  ...{
    now,
    begin: now,
    end: after(250),
    numbers: numbers(),
    freeCalls: 100,
    remainingCalls: new Map([['w', 20]]),
  },
  ...{ generations: new Map(), deletedAgents: new Set(), onDoNotCallList: new Set(), limits: new Map() },
  assistants: new Map([['a', {}]]),
  prepare: () => PREPARED,
  ...given,
});

describe('requests that cannot be prepared [campaigns.10]', () => {
  it.each([null, after(-1)])('take no slot, call or trial, which later ones get; circuit: %p', (probeAt) => {
    const prepare: SlotFacts['prepare'] = ({ callId }) => (callId.startsWith('bad') ? undefined : PREPARED);
    const requests = [
      request('bad 1', { ...OF_CAMPAIGN, requestedAt: after(-9) }),
      request('bad 2', { ...OF_CAMPAIGN, requestedAt: after(-8) }),
      request('bad 3', { requestedAt: after(-7) }),
      request('good', { ...OF_CAMPAIGN, requestedAt: after(-6) }),
      request('other', OTHER),
    ];
    const scarce = { remainingCalls: new Map([['w', 1]]), freeCalls: 2, numbers: numbers(probeAt) };
    const plan = planSlots(requests, facts({ ...scarce, prepare }));
    expect(plan.refusals.map(({ request: { callId }, reason }) => [callId, reason])).toEqual([
      ['bad 1', 'agent_unavailable'],
      ['bad 2', 'agent_unavailable'],
      ['bad 3', 'texts_too_long'],
    ]);
    expect(plan.dials.map(({ request: { callId }, slot }) => [callId, slot])).toEqual([
      ['other', now],
      ['good', now],
    ]);
    expect([...plan.probes.values()].map(({ callId }) => callId)).toEqual(probeAt ? ['good'] : []);
    expect(planSlots(requests.slice(0, 3), facts({ prepare })).clocks).toEqual(new Map());
  });

  it('are few of a workspace at a time, since each may cost milliseconds [trust.1]', () => {
    const prepare: SlotFacts['prepare'] = ({ workspaceId }) => (workspaceId === 'w' ? undefined : PREPARED);
    const bad = Array.from({ length: 50 }, (_, n) => request(`bad ${n}`, { requestedAt: after(n - 100) }));
    const plan = planSlots([...bad, request('good', OTHER)], facts({ prepare }));
    expect(plan.refusals).toHaveLength(20);
    expect(plan.dials.map((dial) => dial.request.callId)).toEqual(['good']);
    expect(plan.postponed).toEqual(new Set(['n']));
  });
});

it('prepares only requests that get a slot', () => {
  const prepared: string[] = [];
  const prepare: SlotFacts['prepare'] = ({ callId }) => {
    prepared.push(callId);
    return PREPARED;
  };
  const requests = ['a', 'b', 'c', 'd', 'e'].map((id) => request(id));
  planSlots(
    [...requests, request('x', { agentId: 'unknown' })],
    facts({ prepare, onDoNotCallList: new Set(['a']) }),
  );
  expect(prepared.splice(0)).toEqual(['b', 'c', 'd']);
  planSlots(requests, facts({ prepare, freeCalls: 1 }));
  expect(prepared).toEqual(['a']);
});
