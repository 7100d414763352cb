import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OPTIONS = { authTagLength: TAG_BYTES };

export function randomNonce(): Buffer {
  return randomBytes(NONCE_BYTES);
}

/** AES-256-GCM; the tag follows the ciphertext. A nonce is never used twice with one key. */
export function encrypt(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, aad: string): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, OPTIONS).setAAD(Buffer.from(aad, 'utf8'));
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws if key, nonce, associated data or ciphertext differ from the encryption's. */
export function decrypt(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, aad: string): Buffer {
  if (nonce.length !== NONCE_BYTES || sealed.length < TAG_BYTES) throw new RangeError('malformed ciphertext');
  const body = sealed.subarray(0, sealed.length - TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, OPTIONS).setAAD(Buffer.from(aad, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  return Buffer.concat([decipher.update(body), decipher.final()]);
}
