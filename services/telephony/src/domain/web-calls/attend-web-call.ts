import type {
  ResponseOf,
  readWebCall as readContract,
  joinWebCall as stateContract,
} from '@parley/contracts';
import { AppError, conflict } from '@parley/kit/errors';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { CallHistory } from '../call-history/ports.ts';
import type { Call } from '../calls/call.ts';
import type { Transact } from '../ports.ts';
import type { AccessTokens, CallAccess } from './access-token.ts';
import { joinableUntil } from './joinable.ts';
import type { WebCalls, WebLine, WebLines } from './ports.ts';

export type AttendDeps = {
  transact: Transact;
  clock: Clock;
  accessTokens: AccessTokens;
  webCalls: Pick<WebCalls, 'lock'>;
  webLines: WebLines;
  history: CallHistory;
  /** Tells the workers of this process that something happened on a line. */
  wakeWebCalls: () => void;
};

type State = ResponseOf<typeof stateContract>;

const MOST_MESSAGES = 100;

/** Somebody is there: a worker takes the call, and its assistant answers. */
export async function joinWebCall(deps: AttendDeps, token: string | undefined): Promise<State> {
  const access = readToken(deps, token);
  await deps.transact(async (tx) => {
    const call = await heldCall(deps, tx, access);
    const now = deps.clock.now();
    if (call.state.phase === 'queued' && joinableUntil(call.createdAt) <= now) throw tooLate();
    await deps.webLines.open(tx, call.id, now);
  });
  deps.wakeWebCalls();
  return readState(deps, access);
}

export async function sayInWebCall(
  deps: AttendDeps,
  token: string | undefined,
  text: string,
): Promise<State> {
  const access = readToken(deps, token);
  const line = await openLine(deps, access);
  const isKept = await deps.transact((tx) => deps.webLines.write(tx, line.callId, text, deps.clock.now()));
  if (!isKept) throw conflict('The assistant has not heard what was said before');
  deps.wakeWebCalls();
  return readState(deps, access);
}

export async function leaveWebCall(deps: AttendDeps, token: string | undefined): Promise<State> {
  const access = readToken(deps, token);
  const line = await openLine(deps, access);
  await deps.webLines.end(line.callId, 'remote', deps.clock.now());
  deps.wakeWebCalls();
  return readState(deps, access);
}

/** The state of the call, and what was said after the message that the client knows. */
export async function readWebCall(
  deps: AttendDeps,
  token: string | undefined,
  after: number | undefined,
): Promise<ResponseOf<typeof readContract>> {
  const access = readToken(deps, token);
  const state = await readState(deps, access);
  const turns = await deps.history.spokenAfter(access.workspaceId, access.callId, after ?? -1, MOST_MESSAGES);
  const messages = turns.map(({ seq, role, content, at }) => ({ seq, role, content, at: toIsoMillis(at) }));
  return { ...state, messages };
}

function readToken({ accessTokens }: AttendDeps, token: string | undefined): CallAccess {
  const access = token === undefined ? undefined : accessTokens.read(token);
  if (!access) throw new AppError('UNAUTHORIZED', 'x-access-token must be the access_token of a web call');
  return access;
}

async function readState({ history }: AttendDeps, { workspaceId, callId }: CallAccess): Promise<State> {
  const call = await history.find(workspaceId, callId);
  if (!call) throw isOver();
  return { call_id: call.id, status: call.status, disconnection_reason: call.disconnection_reason };
}

async function heldCall(
  { webCalls }: AttendDeps,
  tx: Parameters<WebCalls['lock']>[0],
  { workspaceId, callId }: CallAccess,
): Promise<Call> {
  const call = await webCalls.lock(tx, workspaceId, callId);
  if (!call || call.state.phase === 'ended') throw isOver();
  return call;
}

async function openLine({ webLines }: AttendDeps, { callId }: CallAccess): Promise<WebLine> {
  const line = await webLines.find(callId);
  if (!line) throw conflict('The call has not been joined');
  if (line.endedAt) throw isOver();
  return line;
}

function isOver(): AppError {
  return conflict('The call is over');
}

function tooLate(): AppError {
  return conflict('The call was not joined in time');
}
