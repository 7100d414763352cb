import type { ServiceName } from '@parley/contracts';
import { SERVICES } from '@parley/contracts';
import { z } from 'zod';

/** Raw Ed25519 keys: seeds and public keys are 32 bytes each (RFC 8032). */
const KEY_BYTES = 32;

/** A public key and the service whose tokens it verifies. */
export type VerifyKey = { service: ServiceName; key: Buffer };

/** A comma list of Ed25519 seeds in base64: the first signs, the others stay valid during a rotation. */
export const signingKeys = z.string().transform((value, ctx): Buffer[] => {
  const keys = value.split(',').map((item) => readKey(item.trim()));
  const found = keys.filter((key) => key !== undefined);
  if (found.length === keys.length) return found;
  ctx.addIssue({ code: 'custom', message: 'must be a comma list of Ed25519 seeds (base64, 32 bytes each)' });
  return z.NEVER;
});

/** A comma list of `service:base64`; a service may have several keys. */
export const verifyKeys = z.string().transform((value, ctx): VerifyKey[] => {
  const keys = value.split(',').map((item) => readVerifyKey(item.trim()));
  const found = keys.filter((key) => key !== undefined);
  if (found.length === keys.length) return found;
  ctx.addIssue({
    code: 'custom',
    message: 'must be a comma list of service:base64 with Ed25519 public keys of 32 bytes each',
  });
  return z.NEVER;
});

function readVerifyKey(item: string): VerifyKey | undefined {
  const at = item.indexOf(':');
  const service = SERVICES.find((name) => name === item.slice(0, at));
  const key = readKey(item.slice(at + 1));
  return service && key ? { service, key } : undefined;
}

function readKey(encoded: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(encoded)) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length === KEY_BYTES ? key : undefined;
}
