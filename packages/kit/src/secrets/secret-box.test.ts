import { createCipheriv } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSecretBox, maskSecret, SecretError } from './index.ts';

const oldKey = { id: '2024-01', key: Buffer.alloc(32, 1) };
const newKey = { id: '2025-01', key: Buffer.alloc(32, 2) };
const AAD = 'tools:headers:0195f0c0-0000-7000-8000-000000000001';
const SECRET = 'Bearer sk_live_ünïcode';

const errorOf = (work: () => unknown): SecretError => {
  try {
    work();
  } catch (error) {
    if (error instanceof SecretError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

const box = createSecretBox([oldKey]);
const sealed = box.seal(SECRET, AAD);
const partsOf = (text: string): string[] => text.split('.');

describe('seal and open', () => {
  it('returns what was sealed, including empty and long texts', () => {
    for (const plain of [SECRET, '', 'x', 'é'.repeat(100_000)]) {
      expect(box.open(box.seal(plain, AAD), AAD)).toBe(plain);
    }
  });

  it('writes five parts that reveal neither the secret nor repetitions', () => {
    expect(sealed).toMatch(/^v1\.2024-01\.[\w-]{80}\.[\w-]{16}\.[\w-]+$/);
    const again = box.seal(SECRET, AAD);
    for (const part of [2, 3, 4]) expect(partsOf(again)[part]).not.toBe(partsOf(sealed)[part]);
    expect(sealed).not.toContain(Buffer.from(SECRET).toString('base64url').slice(0, 12));
  });

  it('decrypts text composed by hand from the format alone', () => {
    const encrypt = (key: Buffer, nonce: Buffer, plain: Buffer, aad: string): Buffer => {
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(aad));
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    };
    const [dek, wrapNonce, nonce] = [Buffer.alloc(32, 7), Buffer.alloc(12, 8), Buffer.alloc(12, 9)];
    const wrapped = Buffer.concat([wrapNonce, encrypt(oldKey.key, wrapNonce, dek, `v1:dek:2024-01:${AAD}`)]);
    const data = encrypt(dek, nonce, Buffer.from(SECRET), `v1:data:${AAD}`);
    const text = [
      'v1',
      '2024-01',
      ...[wrapped, nonce, data].map((bytes) => bytes.toString('base64url')),
    ].join('.');
    expect(text).toBe(
      'v1.2024-01.CAgICAgICAgICAgInXkC7AbY2exJ-7DPx5qcgdW46BK1rKJ1ngD9SRBg_bN_amqJ3aIXu9efGugFuTcP.CQkJCQkJCQkJCQkJ.ZeDl5tuC4RLLPadRkI_8HGjeoFxXgZOlviw9I5RqMoiYK5q_bamTfg',
    );
    expect(box.open(text, AAD)).toBe(SECRET);
  });
});

describe('is refused', () => {
  it('for text moved to another row', () => {
    expect(() => box.open(sealed, AAD.replace('0001', '0002'))).toThrow(SecretError);
    expect(() => box.open(sealed, '')).toThrow(SecretError);
  });

  it('for text with any changed bit in any part', () => {
    const parts = partsOf(sealed);
    for (const index of [2, 3, 4]) {
      const bytes = Buffer.from(parts[index] ?? '', 'base64url');
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ 1;
        const text = parts.with(index, changed.toString('base64url')).join('.');
        expect(() => box.open(text, AAD)).toThrow(SecretError);
      }
    }
  });

  it('for text with parts that are truncated, empty, swapped, repeated or in another spelling', () => {
    const parts = partsOf(sealed);
    const other = partsOf(box.seal('other', AAD));
    const spoilt = [
      '',
      'v1',
      SECRET,
      sealed.replace('v1', 'v2'),
      `${sealed}.`,
      `${sealed}=`,
      `${sealed}.AAAA`,
      ...[2, 3, 4].map((index) => parts.with(index, '').join('.')),
      ...[2, 3, 4].map((index) => parts.with(index, (parts[index] ?? '').slice(0, -4)).join('.')),
      ...[2, 3, 4].map((index) => parts.with(index, 'A+/=').join('.')),
      parts.with(2, other[2] ?? '').join('.'),
      parts.with(4, other[4] ?? '').join('.'),
    ];
    for (const text of spoilt) expect(() => box.open(text, AAD)).toThrow(SecretError);
  });

  it('for text under a key that is not configured, or under a different one with the same id', () => {
    const stranger = createSecretBox([newKey]);
    expect(errorOf(() => stranger.open(sealed, AAD)).message).toContain('2024-01');
    expect(stranger.keyIdOf(sealed)).toBe('2024-01');
    const impostor = createSecretBox([{ ...newKey, id: oldKey.id }]);
    expect(() => impostor.open(sealed, AAD)).toThrow(SecretError);
    const both = createSecretBox([newKey, oldKey]);
    expect(() => both.open(sealed.replace('2024-01', '2025-01'), AAD)).toThrow(SecretError);
  });

  it('without revealing the secret, its sealed text or its key', () => {
    const { message, cause } = errorOf(() => box.open(sealed, 'elsewhere'));
    expect(cause).toBeUndefined();
    for (const part of [SECRET, ...partsOf(sealed).slice(2)]) expect(message).not.toContain(part);
  });
});

describe('rotation', () => {
  const rotated = createSecretBox([newKey, oldKey]);

  it('decrypts what older keys wrapped, and wraps with the first', () => {
    expect(rotated.open(sealed, AAD)).toBe(SECRET);
    expect(rotated.needsRotation(sealed)).toBe(true);
    const fresh = rotated.seal(SECRET, AAD);
    expect([rotated.keyIdOf(fresh), rotated.needsRotation(fresh)]).toEqual(['2025-01', false]);
  });

  it('wraps the data key again and keeps the ciphertext', () => {
    const text = rotated.rewrap(sealed, AAD);
    expect(rotated.needsRotation(text)).toBe(false);
    expect(partsOf(text).slice(3)).toEqual(partsOf(sealed).slice(3));
    expect(createSecretBox([newKey]).open(text, AAD)).toBe(SECRET);
    expect(() => createSecretBox([oldKey]).open(text, AAD)).toThrow(SecretError);
  });

  it('rewraps only the head if the ciphertext stays in its place', () => {
    const [version, keyId, dek, ...rest] = partsOf(sealed);
    const head = rotated.rewrapHead([version, keyId, dek].join('.'), AAD);
    expect(createSecretBox([newKey]).open([head, ...rest].join('.'), AAD)).toBe(SECRET);
    expect(head.startsWith(`v1.${rotated.currentKeyId}.`)).toBe(true);
    for (const bad of ['', 'v1.2024-01', sealed, `v2.2024-01.${dek}`, `v1.2024-01.${dek?.slice(0, -4)}`]) {
      expect(() => rotated.rewrapHead(bad, AAD)).toThrow(SecretError);
    }
  });

  it('rewraps nothing in another place', () => {
    expect(() => rotated.rewrap(sealed, 'elsewhere')).toThrow(SecretError);
    expect(() => rotated.rewrapHead(partsOf(sealed).slice(0, 3).join('.'), 'elsewhere')).toThrow(SecretError);
  });
});

describe('keys', () => {
  it('are refused if there are none, a duplicate, a short one or an invalid id', () => {
    for (const keys of [
      [],
      [oldKey, { ...newKey, id: oldKey.id }],
      [{ id: 'short', key: Buffer.alloc(31) }],
      [{ id: 'a.b', key: Buffer.alloc(32) }],
      [{ id: '', key: Buffer.alloc(32) }],
    ]) {
      expect(() => createSecretBox(keys)).toThrow(SecretError);
    }
  });

  it('are copied, so that wiping the configuration later has no effect', () => {
    const key = Buffer.alloc(32, 5);
    const own = createSecretBox([{ id: 'k', key }]);
    key.fill(0);
    expect(createSecretBox([{ id: 'k', key: Buffer.alloc(32, 5) }]).open(own.seal('s', ''), '')).toBe('s');
  });
});

it('masks with eight asterisks', () => {
  expect(maskSecret).toBe('********');
});
