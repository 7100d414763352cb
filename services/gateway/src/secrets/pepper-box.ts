import { hkdfSync } from 'node:crypto';
import { createSecretBox, type SecretBox } from '@parley/kit/secrets';

/**
 * Seals short-lived data (cookies, mails, answers under idempotency keys) by a key derived from `KEY_PEPPER`, which is not
 * rotated as `ENCRYPTION_KEYS` are.
 */
export function pepperBox(pepper: string, purpose: string): SecretBox {
  const key = new Uint8Array(hkdfSync('sha256', pepper, '', purpose, 32));
  return createSecretBox([{ id: 'pepper', key }]);
}
