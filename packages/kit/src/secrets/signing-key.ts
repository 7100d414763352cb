import { createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';

const SEED_BYTES = 32;
// The DER prefixes of a raw Ed25519 key in PKCS #8 and SPKI (RFC 8410).
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A new Ed25519 seed: 32 random bytes (RFC 8032). */
export function newSigningSeed(): Buffer {
  return randomBytes(SEED_BYTES);
}

/** The private key of a seed. */
export function signingKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

/** The 32 bytes of the public key that belongs to a seed. */
export function publicKeyOf(seed: Buffer): Buffer {
  const spki = createPublicKey(signingKeyOf(seed)).export({ format: 'der', type: 'spki' });
  return spki.subarray(SPKI_PREFIX.length);
}

/** The key that verifies, from its 32 bytes. */
export function verifyKeyOf(publicKey: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
}
