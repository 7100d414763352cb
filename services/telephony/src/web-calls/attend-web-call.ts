import type { ErrorDetailCode, ResponseOf, readWebCall as readContract } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { toIsoMillis } from '@parley/kit/time';
import type { CallHistory } from '../calls/call-history.store.ts';
import type { Transact } from '../clients/ports.ts';
import { endUntouched } from '../sessions/end-untouched.ts';
import type { CallAccess } from './access-token.ts';
import { type AdmitDeps, admit, refused } from './admit.ts';
import { type CallState, isOver, toState } from './call-state.ts';
import { lockToJoin } from './joinable.ts';
import type { WebCalls, WebLines } from './ports.ts';

export type AttendDeps = AdmitDeps & {
  transact: Transact;
  webCalls: Pick<WebCalls, 'lock' | 'joined' | 'end'>;
  webLines: WebLines;
  history: Pick<CallHistory, 'find' | 'spokenTurns'>;
};

const MAX_MESSAGES = 100;

/** The visitor has joined: a worker takes the call, and its assistant answers. */
export async function joinWebCall(deps: AttendDeps, token: string | undefined): Promise<CallState> {
  const { access } = await admit(deps, token);
  await deps.transact(async (tx) => {
    const { call, isJoined, now } = await lockToJoin(tx, deps, access);
    if (!isJoined) await deps.webLines.open(tx, call.id, now);
  });
  return readState(deps, access);
}

export async function sayInWebCall(
  deps: AttendDeps,
  token: string | undefined,
  text: string,
): Promise<CallState> {
  const access = await enterLine(deps, token);
  const outcome = await deps.transact((tx) => deps.webLines.write(tx, access, text, deps.clock.now()));
  if (outcome === 'full')
    throw notNow('The call has reached the maximum text of a call of a public key', 'text', 'too_big');
  if (outcome === 'unheard')
    throw notNow('The assistant has not heard the previous messages yet', 'text', 'too_big');
  if (outcome === 'over') throw isOver();
  return readState(deps, access);
}

export async function leaveWebCall(deps: AttendDeps, token: string | undefined): Promise<CallState> {
  const access = await enterLine(deps, token);
  await deps.transact(async (tx) => {
    const call = await deps.webCalls.lock(tx, access.workspaceId, access.callId);
    const now = deps.clock.now();
    await deps.webLines.end(access.callId, 'remote', now, tx);
    // No worker would see the end of the line.
    if (call?.state.phase === 'queued')
      await deps.webCalls.end(tx, [{ call, change: endUntouched(call, 'remote', now) }], now);
  });
  return readState(deps, access);
}

/** The state of the call and the messages after `after`. */
export async function readWebCall(
  deps: AttendDeps,
  token: string | undefined,
  after: number | undefined,
): Promise<ResponseOf<typeof readContract>> {
  const { access, call } = await admit(deps, token);
  const page = { after: after ?? -1, limit: MAX_MESSAGES };
  const turns = await deps.history.spokenTurns(access.workspaceId, access.callId, page);
  const messages = turns.map(({ seq, role, content, at }) => ({ seq, role, content, at: toIsoMillis(at) }));
  return { ...toState(call), messages };
}

/** The call goes on: unlike that of a call that is over, this conflict has details. */
function notNow(message: string, path: string, code: ErrorDetailCode): AppError {
  return new AppError('CONFLICT', message, { details: [{ path, code, message }] });
}

/** Requires a joined call that is not over. */
async function enterLine(deps: AttendDeps, token: string | undefined): Promise<CallAccess> {
  const { access, call } = await admit(deps, token);
  if (call.status === 'completed') throw isOver();
  const line = await deps.webLines.find(access.callId);
  if (!line) throw notNow('The call has not been joined', '', 'not_allowed');
  if (line.endedAt) throw isOver();
  return access;
}

async function readState({ history }: AttendDeps, { workspaceId, callId }: CallAccess): Promise<CallState> {
  const call = await history.find(workspaceId, callId);
  if (!call) throw refused();
  return toState(call);
}
