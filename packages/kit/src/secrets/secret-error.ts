/**
 * A stored secret cannot be opened, or a key is invalid. To clients it is a 500. The message contains no part of a secret, and there is no
 * `cause`.
 */
export class SecretError extends Error {
  override name = 'SecretError';
}
