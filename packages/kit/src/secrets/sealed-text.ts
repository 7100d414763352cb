/** `v1.<keyId>.<wrapped dek>.<nonce>.<ciphertext+tag>`, binary parts in base64url. */
export type SealedText = { keyId: string; wrappedDek: Buffer; nonce: Buffer; ciphertext: Buffer };

const VERSION = 'v1';
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Key ids must not contain the separator of sealed text. */
export const KEY_ID = /^[A-Za-z0-9_-]{1,64}$/;

const decode = (part: string): Buffer | undefined => {
  if (!BASE64URL.test(part)) return undefined;
  const bytes = Buffer.from(part, 'base64url');
  // Rejects non-canonical encodings (unused trailing bits).
  return bytes.toString('base64url') === part ? bytes : undefined;
};

export function formatSealed({ keyId, wrappedDek, nonce, ciphertext }: SealedText): string {
  const binary = [wrappedDek, nonce, ciphertext].map((bytes) => bytes.toString('base64url'));
  return [VERSION, keyId, ...binary].join('.');
}

/**
 * `v1.<keyId>.<wrapped dek>`: the part of sealed text that a rotation replaces. Data keys are random, so heads are unique.
 */
export type SealedHead = Pick<SealedText, 'keyId' | 'wrappedDek'>;

export function formatHead({ keyId, wrappedDek }: SealedHead): string {
  return [VERSION, keyId, wrappedDek.toString('base64url')].join('.');
}

/** Undefined unless `formatHead` could have written it. */
export function parseHead(text: string): SealedHead | undefined {
  const [version, keyId = '', encoded = '', ...rest] = text.split('.');
  if (version !== VERSION || !KEY_ID.test(keyId) || rest.length > 0) return undefined;
  const wrappedDek = decode(encoded);
  return wrappedDek && { keyId, wrappedDek };
}

/** Undefined unless `formatSealed` could have written it. */
export function parseSealed(text: string): SealedText | undefined {
  const [version, keyId = '', ...binary] = text.split('.');
  if (version !== VERSION || !KEY_ID.test(keyId) || binary.length !== 3) return undefined;
  const [wrappedDek, nonce, ciphertext] = binary.map(decode);
  if (!wrappedDek || !nonce || !ciphertext) return undefined;
  return { keyId, wrappedDek, nonce, ciphertext };
}
