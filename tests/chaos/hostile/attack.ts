import { withDeadline } from '@parley/kit/time';
import type { Random } from '@parley/testkit/load';

/** What an attacker uses: its own workspace on the platform, and its hostile server. */
export type Attacker = {
  /** The gateway. */
  url: string;
  privateKey: string;
  publicKey: string;
  /** The headers of a signed-in admin of the workspace. */
  session: Record<string, string> | undefined;
  /** Its current assistant and number. Other attacks may have changed them, and soon new ones replace them. */
  agentId: string;
  numberId: string;
  phoneNumber: string;
  /** Ids of its resources, for paths. */
  ids: string[];
  /** Ids of its calls, oldest first. */
  calls: string[];
  /** A random URL of its hostile server. */
  hostileUrl: (random: Random) => string;
  signal: AbortSignal;
};

/** One attack: resolves to a label to count (`201`, `reset`). Rejects if there is no response. */
export type Attack = (attacker: Attacker, random: Random) => Promise<string>;

const ANSWER_WITHIN_MS = 30_000;

export type Answer = { status: number; text: string };

export type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string | Buffer };

/** Sends a request with `fetch`; returns the status and the text of the response. */
export async function send(
  { url, signal }: Attacker,
  { method, path, headers = {}, body }: Sent,
): Promise<Answer> {
  const ask = async (either: AbortSignal) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      signal: either,
    });
    return { status: response.status, text: await response.text() };
  };
  return withDeadline(ANSWER_WITHIN_MS, ask, signal);
}

/**
 * Remembers the call that was accepted; if it was refused, stops the oldest instead. Some calls never end by themselves, so soon the
 * attacker would have as many as its limit allows.
 */
export async function makeRoom(attacker: Attacker, { status, text }: Answer): Promise<void> {
  if (status === 201) {
    const { data } = JSON.parse(text) as { data: { id?: string; call_id?: string } };
    attacker.calls.push(data.id ?? data.call_id ?? '');
  }
  const oldest = status === 429 ? attacker.calls.shift() : undefined;
  if (oldest === undefined) return;
  const headers = bearer(attacker.privateKey);
  await send(attacker, { method: 'POST', path: `/v2/call/${oldest}/stop`, headers });
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
