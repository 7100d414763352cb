import { randomBytes } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES, NONCE_BYTES, randomNonce } from './aes-gcm.ts';
import {
  formatHead,
  formatSealed,
  KEY_ID,
  parseHead,
  parseSealed,
  type SealedHead,
  type SealedText,
} from './sealed-text.ts';
import { SecretError } from './secret-error.ts';

/** A key-encryption key: 32 bytes, and an id of letters, digits, `_` and `-`. */
export type EncryptionKey = { id: string; key: Uint8Array };

/**
 * Envelope encryption of secrets at rest: each has its own data key (AES-256-GCM), wrapped by a key-encryption key. `aad` is the place of
 * the secret, as `table:column:row id`: sealed text that was copied elsewhere cannot be decrypted. All methods throw `SecretError`,
 * which contains no part of a secret.
 */
export type SecretBox = {
  /** The id of the first key, which encrypts. */
  currentKeyId: string;
  seal(plain: string, aad: string): string;
  open(sealed: string, aad: string): string;
  /** The id of the key that wrapped the data key, even if it is not configured. */
  keyIdOf(sealed: string): string;
  /** Whether a key other than the first one wrapped the data key. */
  needsRotation(sealed: string): boolean;
  /** Rewraps the data key with the first key; the ciphertext stays. */
  rewrap(sealed: string, aad: string): string;
  /** `rewrap` of the first three parts (`v1.<keyId>.<wrapped dek>`), without the ciphertext. */
  rewrapHead(head: string, aad: string): string;
};

// The two purposes have different associated data, and the key's id is bound to what it wraps.
const dekAad = (keyId: string, aad: string): string => `v1:dek:${keyId}:${aad}`;
const dataAad = (aad: string): string => `v1:data:${aad}`;

const failure = (message: string): SecretError => new SecretError(message);

const unknownFormat = (): SecretError => failure('A stored secret has an unknown format');

const parse = (text: string): SealedText => {
  const sealed = parseSealed(text);
  if (!sealed) throw unknownFormat();
  return sealed;
};

const indexKeys = (keys: readonly EncryptionKey[]): Map<string, Uint8Array> => {
  const byId = new Map<string, Uint8Array>();
  for (const { id, key } of keys) {
    if (!KEY_ID.test(id)) throw failure('An encryption key id must be 1-64 letters, digits, _ or -');
    if (key.length !== KEY_BYTES) throw failure(`Encryption key ${id} must have ${KEY_BYTES} bytes`);
    if (byId.has(id)) throw failure(`Encryption key id ${id} is given twice`);
    byId.set(id, Uint8Array.from(key));
  }
  return byId;
};

/** The first key encrypts, all keys decrypt: put a new key first, and keep the old ones until everything is rewrapped. */
export function createSecretBox(keys: readonly EncryptionKey[]): SecretBox {
  const byId = indexKeys(keys);
  const [first] = keys;
  if (!first) throw failure('At least one encryption key is required');
  const firstId = first.id;

  const keyOf = (id: string): Uint8Array => {
    const key = byId.get(id);
    if (!key) throw failure(`A stored secret needs encryption key ${id}, which is not configured`);
    return key;
  };

  const wrap = (dek: Uint8Array, aad: string): Buffer => {
    const nonce = randomNonce();
    return Buffer.concat([nonce, encrypt(keyOf(firstId), nonce, dek, dekAad(firstId, aad))]);
  };

  const guarded = <T>(keyId: string, work: () => T): T => {
    try {
      return work();
    } catch {
      // No cause: error chains are logged, and the cause is only "unable to authenticate data".
      throw failure(`A stored secret could not be opened with encryption key ${keyId}`);
    }
  };

  const unwrap = ({ keyId, wrappedDek }: SealedHead, aad: string): Buffer => {
    const key = keyOf(keyId);
    const nonce = wrappedDek.subarray(0, NONCE_BYTES);
    return guarded(keyId, () => decrypt(key, nonce, wrappedDek.subarray(NONCE_BYTES), dekAad(keyId, aad)));
  };

  const rewrapped = (head: SealedHead, aad: string): SealedHead => ({
    keyId: firstId,
    wrappedDek: wrap(unwrap(head, aad), aad),
  });

  return {
    currentKeyId: firstId,
    seal: (plain, aad) => {
      const dek = randomBytes(KEY_BYTES);
      const nonce = randomNonce();
      const ciphertext = encrypt(dek, nonce, Buffer.from(plain, 'utf8'), dataAad(aad));
      return formatSealed({ keyId: firstId, wrappedDek: wrap(dek, aad), nonce, ciphertext });
    },
    open: (text, aad) => {
      const sealed = parse(text);
      const dek = unwrap(sealed, aad);
      const { keyId, nonce, ciphertext } = sealed;
      return guarded(keyId, () => decrypt(dek, nonce, ciphertext, dataAad(aad)).toString('utf8'));
    },
    keyIdOf: (text) => parse(text).keyId,
    needsRotation: (text) => parse(text).keyId !== firstId,
    rewrap: (text, aad) => {
      const sealed = parse(text);
      return formatSealed({ ...sealed, ...rewrapped(sealed, aad) });
    },
    rewrapHead: (text, aad) => {
      const head = parseHead(text);
      if (!head) throw unknownFormat();
      return formatHead(rewrapped(head, aad));
    },
  };
}
