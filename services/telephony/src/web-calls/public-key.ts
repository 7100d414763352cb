import type { BodyOf, createWebCall, ErrorDetail } from '@parley/contracts';
import { AppError, validationFailed } from '@parley/kit/errors';
import type { Auth } from '@parley/kit/http';
import { publicShare } from '../limits/private-share.ts';
import type { LiveCounts } from './ports.ts';

/** JSON in UTF-8, of which several copies are stored and sent: a call may store 64 KiB in all [trust.7]. */
const MAX_BYTES = [
  ['dynamic_variables', 4 * 1024],
  ['dynamicVariables', 4 * 1024],
  ['metadata', 2 * 1024],
] as const;
const RETRY_AFTER_SECONDS = 5;

/** The limits of calls that a public key creates [trust.7]. */
export type PublicKey = {
  keyId: string;
  maxLiveCalls: number;
  maxDurationSeconds: number | null;
  /** The variables that a page may set; undefined: any. */
  variables: readonly string[] | undefined;
};

/** Undefined: the caller has no public key. */
export function publicKeyOf({ actor: { kind, id, scope } }: Auth): PublicKey | undefined {
  if (kind !== 'public_key') return undefined;
  // A gateway of the previous version does not send them.
  const {
    maxLiveCalls = Number.POSITIVE_INFINITY,
    maxDurationSeconds = null,
    variables,
  } = scope?.webCalls ?? {};
  return { keyId: id, maxLiveCalls, maxDurationSeconds, variables };
}

type PageData = Pick<BodyOf<typeof createWebCall>, 'dynamic_variables' | 'dynamicVariables' | 'metadata'>;

/** `422` for variables that a page may not set and for too much data. */
export function checkPageData(data: PageData, allowed: readonly string[] | undefined): void {
  const details: ErrorDetail[] = [];
  for (const field of ['dynamic_variables', 'dynamicVariables'] as const) {
    for (const name of Object.keys(data[field] ?? {})) {
      if (!allowed || allowed.includes(name)) continue;
      const path = `${field}.${name.slice(0, 64)}`;
      details.push({ path, code: 'not_allowed', message: 'this API key may not set this variable' });
    }
  }
  for (const [path, maxBytes] of MAX_BYTES) {
    if (Buffer.byteLength(JSON.stringify(data[path] ?? {})) <= maxBytes) continue;
    const message = `${path} of a public key's call must be at most ${maxBytes / 1024} KiB of JSON`;
    details.push({ path, code: 'too_big', message });
  }
  if (details.length > 0) throw validationFailed(details.slice(0, MAX_DETAILS));
}

const MAX_DETAILS = 20;

/**
 * `429 CONCURRENCY_LIMIT` if the key, or all public keys of the workspace together, have their maximum of live calls: a
 * quarter of the workspace's calls is reserved for other keys [trust.8]. The workspace's lock keeps the counts exact.
 */
export function requirePublicCapacity(
  { ofPublicKeys, ofKey }: LiveCounts,
  maxOfKey: number,
  ofWorkspace: number,
): void {
  if (ofKey >= maxOfKey) throw refused(`This API key has ${ofKey} live calls, its maximum`);
  const together = publicShare(ofWorkspace);
  if (ofPublicKeys >= together)
    throw refused(`The public keys of this workspace have ${ofPublicKeys} live calls, their maximum`);
}

function refused(message: string): AppError {
  return new AppError('CONCURRENCY_LIMIT', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
