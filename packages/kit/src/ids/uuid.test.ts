import { describe, expect, it } from '@jest/globals';
import { isUuid, newId } from './index.ts';

describe('newId', () => {
  it('is a UUIDv7 of now', () => {
    const id = newId();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Math.abs(Number.parseInt(id.replace('-', '').slice(0, 12), 16) - Date.now())).toBeLessThan(1_000);
  });

  it('increases strictly, also within a millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => newId());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('isUuid', () => {
  it('accepts any version in either case', () => {
    expect(isUuid(newId())).toBe(true);
    expect(isUuid('6F9619FF-8B86-D011-B42D-00C04FC964FF')).toBe(true);
  });

  it.each(['', 'x', `${newId()} `, newId().replaceAll('-', ''), 5, null, undefined])(
    'refuses %j',
    (value) => {
      expect(isUuid(value)).toBe(false);
    },
  );
});
