import { AppError } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import type { CallHistory } from '../calls/call-history.store.ts';
import type { CallRecord } from '../calls/call-record.ts';
import type { AccessTokens, CallAccess } from './access-token.ts';

export type AdmitDeps = {
  accessTokens: Pick<AccessTokens, 'read'>;
  history: Pick<CallHistory, 'find'>;
  clock: Clock;
};

/** How long a page can read the outcome of its call. Stack time. */
const OUTLIVES_CALL_MS = 5 * 60_000;

/** Verifies a token and reads its call. A token is valid until five minutes after the end of its call. */
export async function admit(
  { accessTokens, history, clock }: AdmitDeps,
  token: string | undefined,
): Promise<{ access: CallAccess; call: CallRecord }> {
  const access = token === undefined ? undefined : accessTokens.read(token);
  const call = access && (await history.find(access.workspaceId, access.callId));
  if (!access || !call) throw refused();
  const endedMs = call.ended_at?.getTime() ?? Number.POSITIVE_INFINITY;
  if (clock.now().getTime() - endedMs > OUTLIVES_CALL_MS) throw refused();
  return { access, call };
}

/** The same error for invalid and expired tokens. */
export function refused(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'x-access-token must be the access_token of a web call; it lasts until five minutes after the call',
  );
}
