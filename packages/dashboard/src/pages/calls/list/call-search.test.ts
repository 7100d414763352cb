import { describe, expect, it } from '@jest/globals';
import { exportPath, hasText, isFiltered, readCallSearch, toFilters } from './call-search.ts';

const NOW = new Date('2026-03-14T23:30:00Z');
const ID = '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11';
const filters = (search: Record<string, unknown>, zone = 'UTC') =>
  toFilters(readCallSearch(search), zone, NOW);

describe('the search among live calls', () => {
  const call = { id: ID, to_number: '+12125550107' };
  it.each([
    [undefined, true],
    ['(212) 555', true],
    [` ${ID.toUpperCase()} `, true],
    ['0199', false],
    ['Grace', false],
    ['0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e12', false],
  ])('%s: as in the list, by called number or id', (q, isFound) => {
    expect(hasText(call, q)).toBe(isFound);
    expect(hasText({ ...call, to_number: null }, q)).toBe(isFound && q !== '(212) 555');
  });
});

describe('filters of the list of calls', () => {
  it('are those of the route, and only those that are set [calls.8]', () => {
    expect(filters({})).toEqual({});
    expect(
      filters({
        type: ['inbound', 'x'],
        agent: ID,
        campaign: [ID, 'x'],
        from: ['+14155550123'],
        reason: 'dial_busy',
      }),
    ).toEqual({
      call_types: ['inbound'],
      agent_ids: [ID],
      campaign_ids: [ID],
      from_numbers: ['+14155550123'],
      disconnection_reasons: ['dial_busy'],
    });
    expect(filters({ min_seconds: 60, max_seconds: '5', min_cents: -1, max_cents: 'x' })).toEqual({
      duration_min: 5,
      duration_max: 60,
    });
  });

  it('search for a call by its id, and for numbers as people write them', () => {
    expect(filters({ q: ID.toUpperCase() })).toEqual({ call_id: ID });
    expect(filters({ q: '(415) 555-01' })).toEqual({ to_number: '41555501' });
    expect(filters({ q: '555' })).toEqual({ to_number: '555' });
  });

  it('have days of the zone of the workspace', () => {
    expect(filters({ period: 'today' }, 'Europe/Berlin')).toEqual({
      created_after: '2026-03-14T23:00:00.000Z',
    });
    expect(filters({ period: 'yesterday' })).toEqual({
      created_after: '2026-03-13T00:00:00.000Z',
      created_before: '2026-03-13T23:59:59.999Z',
    });
    expect(filters({ after: '2026-03-02', before: '2026-03-01' })).toEqual({
      created_after: '2026-03-01T00:00:00.000Z',
      created_before: '2026-03-02T23:59:59.999Z',
    });
  });

  it('are the same for the export', () => {
    expect(exportPath({})).toBe('/v2/call/export.csv');
    expect(exportPath({ call_types: ['inbound', 'web'], from_numbers: ['+1415'] })).toBe(
      '/v2/call/export.csv?call_types=inbound%2Cweb&from_numbers=%2B1415',
    );
    expect([isFiltered(readCallSearch({ junk: 1 })), isFiltered(readCallSearch({ q: 1 }))]).toEqual([
      false,
      true,
    ]);
  });

  it.each(['2026-99-99', '2026-02-31', '14.03.2026'])('leaves out %s, which is no day', (after) => {
    expect(filters({ after })).toEqual({});
  });
});
