import type { Random } from '@parley/testkit/load';

/** What an attacker attacks: a workspace of its own on the platform, and its hostile server. */
export type Attacker = {
  /** The gateway. */
  url: string;
  privateKey: string;
  publicKey: string;
  agentId: string;
  phoneNumber: string;
  /** Ids of its own that paths may name. */
  ids: string[];
  /** A server of its own that answers as badly as it can; a path of it. */
  hostileUrl: (random: Random) => string;
  signal: AbortSignal;
};

/** One attack: resolves when it is over, to what is counted of it (`201`, `reset`). Rejects where nothing answered. */
export type Attack = (attacker: Attacker, random: Random) => Promise<string>;

const ANSWER_WITHIN_MS = 30_000;

export type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string | Buffer };

/** A request as `fetch` makes it; gives the status and what the answer says. */
export async function send(
  { url, signal }: Attacker,
  { method, path, headers = {}, body }: Sent,
): Promise<{ status: number; text: string }> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
  });
  return { status: response.status, text: await response.text() };
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
