import { AppError } from '@parley/kit/errors';
import type { Clock } from '@parley/kit/time';
import type { CallRecord } from '../call-history/call-record.ts';
import type { CallHistory } from '../call-history/ports.ts';
import type { AccessTokens, CallAccess } from './access-token.ts';

export type AdmitDeps = {
  accessTokens: Pick<AccessTokens, 'read'>;
  history: Pick<CallHistory, 'find'>;
  clock: Clock;
};

/** How long a page may still look at how its call ended. Stack time. */
const OUTLIVES_CALL_MS = 5 * 60_000;

/** Whom a token lets in, and the call as it is now. A token lives until five minutes after the end of its call. */
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

/** Says the same of a token that never was one and of one whose time is over. */
export function refused(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    'x-access-token must be the access_token of a web call; it lasts until five minutes after the call',
  );
}
