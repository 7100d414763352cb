import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import { hashKey, keyTypeOf } from './key-format.ts';
import type { KeyLookup, KnownKey } from './ports.ts';

type Deps = { keys: KeyLookup; pepper: string; clock: Clock };

const BEARER = /^bearer(?:\s|$)/i;

/**
 * Who is asking (spec: Authentication). A missing, invalid, inactive or expired key is 401, a public one on the
 * REST API 403; where no Bearer header was sent at all some routes answer with `errorMessage` (D1.2).
 */
export async function authenticate(
  { keys, pepper, clock }: Deps,
  authorization: string | undefined,
  endpoint: AnyEndpoint,
): Promise<KnownKey> {
  if (authorization === undefined || !BEARER.test(authorization)) throw noBearer(endpoint);
  const presented = authorization.slice('bearer'.length).trim();
  if (keyTypeOf(presented) === undefined) throw unauthorized();
  const key = await keys.findByHash(hashKey(presented, pepper));
  if (!key?.isActive || isExpired(key, clock)) throw unauthorized();
  if (key.type === 'public' && endpoint.access !== 'widget') {
    throw new AppError('FORBIDDEN', 'A public key serves the browser widget alone; use a private key');
  }
  return key;
}

function isExpired({ expiresAt }: KnownKey, clock: Clock): boolean {
  return expiresAt !== null && expiresAt <= clock.now();
}

function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'The API key is invalid, inactive or expired');
}

function noBearer(endpoint: AnyEndpoint): AppError {
  const message = 'Send your private API key as Authorization: Bearer <API_KEY>';
  return new AppError(
    'UNAUTHORIZED',
    message,
    endpoint.errorMessage401 ? { httpBody: { success: false, errorMessage: message } } : {},
  );
}
