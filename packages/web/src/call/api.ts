import { CallError, type CallErrorCode } from './call-error.ts';
import type { Message } from './transcript.ts';

/** What the server says of a call. */
export type ServerState = {
  status: 'queued' | 'ringing' | 'in-progress' | 'completed';
  disconnection_reason: string | null;
};

type StartedCall = { id: string; access_token: string };

const CODES: Readonly<Record<number, CallErrorCode>> = {
  401: 'over',
  403: 'not_allowed',
  409: 'over',
  429: 'busy',
};
const TIMEOUT_MS = 15_000;

type Request = { method: 'GET' | 'POST'; path: string; headers?: Record<string, string>; body?: unknown };

async function send<T>(baseUrl: string, { method, path, headers = {}, body }: Request): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      // A page that is left may still hang up.
      keepalive: method === 'POST',
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    throw new CallError('network', 'The server cannot be reached', { cause });
  }
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer) return answer.data as T;
  const message =
    answer?.error?.message ?? answer?.errorMessage ?? `The server responded with ${response.status}`;
  // A bad key is 401 as well, but there is no call yet that could be over.
  const isOfCall = 'x-access-token' in headers;
  const code = response.status === 401 && !isOfCall ? 'not_allowed' : CODES[response.status];
  // With details only this request is refused, and the call goes on.
  const isOnlyNow = response.status === 409 && answer?.error?.details !== undefined;
  throw new CallError(isOnlyNow ? 'not_sent' : (code ?? 'unavailable'), message);
}

export function createCall(
  baseUrl: string,
  publicKey: string,
  body: { agent_id: string; dynamic_variables?: object; metadata?: object },
): Promise<StartedCall> {
  return send(baseUrl, {
    method: 'POST',
    path: '/widget/call',
    headers: { authorization: `Bearer ${publicKey}` },
    body,
  });
}

/** The requests of one call. */
export type SessionApi = ReturnType<typeof createSessionApi>;

export function createSessionApi(baseUrl: string, accessToken: string) {
  const request = <T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> =>
    send(baseUrl, {
      method,
      path: `/widget/session${path}`,
      headers: { 'x-access-token': accessToken },
      ...(body === undefined ? {} : { body }),
    });
  return {
    describe: () =>
      request<ServerState & { call_id: string; audio: boolean; ice_servers: RTCIceServer[] }>('GET', ''),
    offer: (sdp: string, participant: string) =>
      request<ServerState & { sdp: string }>('POST', '/offer', { sdp, participant }),
    join: () => request<ServerState>('POST', '/join'),
    read: (after?: number) =>
      request<ServerState & { messages: Message[] }>(
        'GET',
        `/messages${after === undefined ? '' : `?after=${after}`}`,
      ),
    write: (text: string) => request<ServerState>('POST', '/messages', { text }),
    leave: () => request<ServerState>('POST', '/leave'),
  };
}
