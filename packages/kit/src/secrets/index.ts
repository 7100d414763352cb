export { maskSecret } from './mask.ts';
export { createReencryption, type Reencryption, type SealedColumn } from './reencryption.ts';
export { createSecretBox, type EncryptionKey, type SecretBox } from './secret-box.ts';
export { SecretError } from './secret-error.ts';
export { watchKeys } from './watch-keys.ts';
