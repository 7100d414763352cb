/**
 * A stored secret cannot be decrypted, or a key is invalid. Clients get a 500. The message contains no part of a secret, and there is no
 * `cause`.
 */
export class SecretError extends Error {
  override name = 'SecretError';
}
