import { describe, expect, it } from '@jest/globals';
import { createDeliveries } from '../src/deliveries.ts';
import { findGaps } from '../src/find-gaps.ts';
import { goodRun } from './good-run.ts';

describe('findGaps', () => {
  it('finds none in a complete run', () => {
    const { results, receiver } = goodRun();
    expect(findGaps(results, receiver)).toEqual([]);
  });

  it('reports what the campaign lacks', () => {
    const { results, receiver } = goodRun();
    const campaign = { ...results.campaign, status: 'running' as const, completed_calls: 24 };
    expect(findGaps({ ...results, campaign }, receiver)).toEqual([
      'The campaign is running, not completed.',
      "The campaign's completed_calls is 24, and should be 25.",
    ]);
  });

  it('reports a contact with another outcome, and one with too many calls', () => {
    const { results, receiver } = goodRun();
    const [first] = results.people;
    if (!first?.contact) throw new Error('no first contact');
    const contact = { ...first.contact, attempts: 3, last_outcome: 'dial_busy' };
    const people = [{ ...first, contact }, ...results.people.slice(1)];
    expect(findGaps({ ...results, people }, receiver)).toEqual([
      '+12125550001 (rings out): failed with dial_busy after 3 attempts, and should be failed with dial_no_answer after 2 attempts.',
      '+12125550001 (rings out): 2 calls for 3 attempts.',
    ]);
  });

  it('reports events that are missing, out of order or unsigned, and a tool that was never called', () => {
    const { results } = goodRun();
    const deliveries = createDeliveries();
    const { id } = results.single;
    for (const event of ['call_ended', 'call_started'] as const) {
      deliveries.note({ webhookId: event, signed: true, content: { event, call_id: id, payload: {} } });
    }
    const forged = { event: 'call_analyzed', call_id: id, payload: {} } as const;
    deliveries.note({ webhookId: 'x', signed: false, content: forged });
    const single = { ...results, people: [], calls: [results.single] };
    const gaps = findGaps(single, { deliveries, toolRequests: { all: 0, signed: 0 } });
    expect(gaps).toEqual(
      expect.arrayContaining([
        `Call ${id} to +12125550149: call_analyzed has not arrived.`,
        `Call ${id} to +12125550149: events out of order: call_ended, call_started.`,
        '1 webhooks had no valid signature.',
        'The tool was never called.',
      ]),
    );
  });
});
