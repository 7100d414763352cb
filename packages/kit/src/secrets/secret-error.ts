/**
 * A stored secret that can't be opened, or keys that are unfit: nothing that a client could do something about, so to
 * clients it is an error like any unexpected one. The message holds no part of a secret, and there is no cause.
 */
export class SecretError extends Error {
  override name = 'SecretError';
}
