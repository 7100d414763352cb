export { maskSecret } from './mask.ts';
export { createReencryption, type Reencryption, type SealedColumn } from './reencryption.ts';
export { createSecretBox, type SecretBox } from './secret-box.ts';
export { SecretError } from './secret-error.ts';
export { newSigningSeed, publicKeyOf, signingKeyOf, verifyKeyOf } from './signing-key.ts';
export { watchKeys } from './watch-keys.ts';
