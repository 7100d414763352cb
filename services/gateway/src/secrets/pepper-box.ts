import { hkdfSync } from 'node:crypto';
import { createSecretBox, type SecretBox } from '@parley/kit/secrets';

/**
 * Seals short-lived data (cookies, mails, stored responses) with a key derived from `KEY_PEPPER`, which is not rotated
 * like `ENCRYPTION_KEYS`.
 */
export function pepperBox(pepper: string, purpose: string): SecretBox {
  const key = new Uint8Array(hkdfSync('sha256', pepper, '', purpose, 32));
  return createSecretBox([{ id: 'pepper', key }]);
}
