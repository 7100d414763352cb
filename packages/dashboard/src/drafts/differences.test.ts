import { describe, expect, it } from '@jest/globals';
import { changedFields, clashes, clashesUnseen, merge } from './differences.ts';

const base = { name: 'Acme', zone: 'UTC', allowed: ['+49'] };

describe('changes of two people', () => {
  it('clash only where both changed one field, differently', () => {
    const theirs = { ...base, zone: 'Asia/Tokyo', allowed: ['+49', '+1'] };
    expect(clashes(base, { ...base, name: 'Mine' }, theirs)).toEqual([]);
    expect(clashes(base, { ...base, zone: 'Asia/Tokyo' }, theirs)).toEqual([]);
    expect(clashes(base, { ...base, allowed: [] }, theirs)).toEqual([
      { path: 'allowed', mine: [], theirs: ['+49', '+1'] },
    ]);
  });

  it('clash where one changed a field inside of what the other changed as a whole', () => {
    const limits = { limits: { calls: 1, cents: 5 } };
    const theirs = { limits: { calls: 2, cents: 5 } };
    const whole = { path: 'limits', mine: null, theirs: theirs.limits };
    expect(clashes<object>(limits, { limits: null }, theirs)).toEqual([whole]);
    expect(clashes<object>(limits, theirs, { limits: null })).toEqual([
      { path: 'limits', mine: theirs.limits, theirs: null },
    ]);
    expect(clashes<object>({}, { limits: { calls: 1 } }, { limits: { calls: 2 } })).toEqual([
      { path: 'limits.calls', mine: 1, theirs: 2 },
    ]);
    expect(clashes<object>(limits, { limits: { calls: 1, cents: 6 } }, theirs)).toEqual([]);
    // The beginning of a name is not a path.
    expect(clashes<object>({ a: 1, ab: 1 }, { a: 2, ab: 1 }, { a: 1, ab: 2 })).toEqual([]);
  });

  it('of different fields are put together', () => {
    const mine = { ...base, name: 'Mine' };
    expect(merge(base, mine, { ...base, zone: 'Asia/Tokyo' })).toEqual({ ...mine, zone: 'Asia/Tokyo' });
  });

  it('are sent only as far as they are changes', () => {
    expect(changedFields(base, { ...base, name: 'Mine', allowed: ['+49'] })).toEqual({ name: 'Mine' });
    expect(changedFields({ limit: 5 as number | null }, { limit: null })).toEqual({ limit: null });
  });
});

it('what another person has stored is compared once it clashes and was not shown yet [dashboard.61]', () => {
  const [base, mine, theirs] = [{ pace: 1 }, { pace: 7 }, { pace: 3 }];
  expect(clashesUnseen(base, mine, base, theirs)).toBe(true);
  expect(clashesUnseen(base, mine, theirs, theirs)).toBe(false);
  expect(clashesUnseen(base, mine, base, base)).toBe(false);
});
