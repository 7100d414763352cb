import { describe, expect, it } from '@jest/globals';
import { displayPrefix, hashKey, keyTypeOf, newKey } from './key-format.ts';

describe('an API key [access.3]', () => {
  it('is the prefix, 30 random characters and a checksum of 6', () => {
    expect(newKey('private')).toMatch(/^svc_[0-9A-Za-z]{36}$/);
    expect(newKey('public')).toMatch(/^svc_pub_[0-9A-Za-z]{36}$/);
    expect(keyTypeOf(newKey('private'))).toBe('private');
    expect(keyTypeOf(newKey('public'))).toBe('public');
  });

  it('carries the CRC32 of prefix and characters in base 62, most significant first', () => {
    // CRC32 of 'svc_' and 30 zeros is 1308578685, by zlib of another language.
    const body = `svc_${'0'.repeat(30)}`;
    expect(keyTypeOf(`${body}1QYf5p`)).toBe('private');
  });

  it('is rejected when a character or the checksum differs', () => {
    const key = newKey('private');
    const other = key.at(10) === 'A' ? 'B' : 'A';
    expect(keyTypeOf(key.slice(0, 10) + other + key.slice(11))).toBeUndefined();
    expect(keyTypeOf(`${key}0`)).toBeUndefined();
    expect(keyTypeOf(key.replace('svc_', 'svc_pub_'))).toBeUndefined();
    for (const junk of ['', 'svc_', 'x'.repeat(40), '__proto__']) expect(keyTypeOf(junk)).toBeUndefined();
  });

  it('shows 8 characters after the prefix and is stored as an HMAC under the pepper', () => {
    const key = newKey('public');
    expect(displayPrefix(key)).toBe(key.slice(8, 16));
    expect(hashKey(key, 'pepper')).toMatch(/^[0-9a-f]{64}$/);
    expect(hashKey(key, 'pepper')).not.toBe(hashKey(key, 'other'));
  });
});
