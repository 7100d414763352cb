import type { AnyEndpoint } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import type { KnownKey } from '../keys/ports.ts';
import type { FailureLimit } from '../limits/limit-failures.ts';
import type { Caller } from './caller.ts';
import type { Briefly } from './remember-briefly.ts';
import type { UseRecorder } from './use-recorder.ts';

export type KeyDeps = {
  keys: Briefly<KnownKey>;
  keyUse: UseRecorder;
  failures: FailureLimit;
  /** Undefined for what is no key by its form. */
  hashOf(key: string): string | undefined;
  clock: Clock;
};

const BEARER = /^bearer(?:\s|$)/i;

export function isBearer(authorization: string | undefined): authorization is string {
  return authorization !== undefined && BEARER.test(authorization);
}

/** An invalid, inactive or expired key is 401 (spec: Authentication). */
export async function authenticateKey(
  { keys, keyUse, failures, hashOf, clock }: KeyDeps,
  authorization: string,
  address: string,
): Promise<Caller> {
  const hash = hashOf(authorization.slice('bearer'.length).trim());
  if (hash === undefined) throw unauthorized();
  if (!keys.knows(hash)) failures.requireFew(address);
  const key = await keys.findByHash(hash);
  if (!key?.isActive || isExpired(key, clock)) throw unauthorized();
  const kind = key.type === 'private' ? ('key' as const) : ('public_key' as const);
  const actor = { kind, id: key.id };
  keyUse.record(key.id);
  return { workspaceId: key.workspaceId, actor, limits: key.limits };
}

function isExpired({ expiresAt }: KnownKey, clock: Clock): boolean {
  return expiresAt !== null && expiresAt <= clock.now();
}

function unauthorized(): AppError {
  return new AppError('UNAUTHORIZED', 'The API key is invalid, inactive or expired');
}

/** Where no Bearer header was sent at all some routes answer with `errorMessage` (D1.2). */
export function noBearer(endpoint: AnyEndpoint | undefined): AppError {
  const kind = endpoint?.access === 'widget' ? 'public' : 'private';
  const message =
    endpoint?.access === 'session'
      ? 'Sign in first'
      : `Send your ${kind} API key as Authorization: Bearer <API_KEY>`;
  return new AppError(
    'UNAUTHORIZED',
    message,
    endpoint?.errorMessage401 ? { httpBody: { success: false, errorMessage: message } } : {},
  );
}
