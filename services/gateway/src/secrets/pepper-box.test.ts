import { expect, it } from '@jest/globals';
import { SecretError } from '@parley/kit/secrets';
import { pepperBox } from './pepper-box.ts';

it('seals with the first pepper, and opens what others have sealed', () => {
  const [old, both, fresh] = [
    pepperBox(['old'], 'x'),
    pepperBox(['new', 'old'], 'x'),
    pepperBox(['new'], 'x'),
  ];
  const [before, after] = [old.seal('before', 'place'), both.seal('after', 'place')];
  expect([both.open(before, 'place'), both.open(after, 'place')]).toEqual(['before', 'after']);
  expect(fresh.open(after, 'place')).toBe('after');
  expect(() => fresh.open(before, 'place')).toThrow(SecretError);
  expect(() => both.open(before, 'another place')).toThrow(SecretError);
  expect(() => pepperBox(['new', 'old'], 'y').open(before, 'place')).toThrow(SecretError);
});
