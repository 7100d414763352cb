import { expect, it } from '@jest/globals';
import { hashKey, newKey } from './key-format.ts';
import { createKeyHashes } from './key-hashes.ts';

it('gives each key its own hash, cached or not, and none to a malformed key', () => {
  const hashOf = createKeyHashes(['pepper']);
  const [one, other] = [newKey('private'), newKey('public')];
  for (const key of [one, other, one, other]) expect(hashOf(key)).toBe(hashKey(key, 'pepper'));
  for (let again = 0; again < 2; again += 1) expect(hashOf(`${one}x`)).toBeUndefined();
});
