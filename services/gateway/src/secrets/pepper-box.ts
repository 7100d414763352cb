import { hkdfSync } from 'node:crypto';
import { createSecretBox, type SecretBox, SecretError } from '@parley/kit/secrets';

/** Its sealed text does not say which pepper it is of. */
export type PepperBox = Pick<SecretBox, 'seal' | 'open'>;

/**
 * Seals short-lived data (cookies, mails, stored responses) with a key derived from the first pepper; data of the other peppers, during
 * their rotation, can be opened.
 */
export function pepperBox(peppers: readonly [string, ...string[]], purpose: string): PepperBox {
  const boxOf = (pepper: string): SecretBox => {
    const key = new Uint8Array(hkdfSync('sha256', pepper, '', purpose, 32));
    return createSecretBox([{ id: 'pepper', key }]);
  };
  const [pepper, ...others] = peppers;
  const current = boxOf(pepper);
  const former = others.map(boxOf);
  return {
    seal: current.seal,
    open: (sealed, aad) => {
      for (const box of former) {
        try {
          return box.open(sealed, aad);
        } catch (err) {
          if (!(err instanceof SecretError)) throw err;
        }
      }
      return current.open(sealed, aad);
    },
  };
}
