export { maskSecret } from './mask.ts';
export { createSecretBox, type EncryptionKey, type SecretBox } from './secret-box.ts';
