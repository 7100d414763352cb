import { Readable } from 'node:stream';
import { monotonicMs } from '@parley/kit/time';
import { Pool } from 'undici';
import type { ApiRequest } from './next-request.ts';

type Failure = { at: string; request: string; error: string; status: number | undefined };

/** Results of requests. */
export type Tally = { sent: number; failures: Failure[]; latenciesMs: number[] };

/** The fields of responses that are read here. */
type ResponseData = {
  id?: string;
  call_id?: string;
  access_token?: string;
  messages?: { seq: number; role: string }[];
};

export type Client = {
  /** The `data` of the expected response; undefined if the request failed, which the tally records. */
  send(request: ApiRequest): Promise<ResponseData | undefined>;
  close(): Promise<void>;
};

/** A client that keeps connections alive for as long as the server allows, and never retries. */
export function createClient(url: string, key: string, connections: number, tally: Tally): Client {
  const pool = new Pool(url, { connections });

  const send: Client['send'] = async ({
    method,
    path,
    body,
    expected,
    token,
    closesConnection = false,
    isSlow = false,
  }) => {
    const startedMs = monotonicMs();
    const failed = (error: string, status?: number): undefined => {
      tally.failures.push({ at: new Date().toISOString(), request: `${method} ${path}`, error, status });
    };
    tally.sent += 1;
    try {
      const response = await pool.request({
        method,
        path,
        headers: {
          ...(token ? { 'x-access-token': token } : { authorization: `Bearer ${key}` }),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        body: body instanceof Readable ? body : body ? JSON.stringify(body) : null,
        headersTimeout: 30_000,
        reset: closesConnection,
      });
      const text = await response.body.text();
      if (!isSlow) tally.latenciesMs.push(monotonicMs() - startedMs);
      if (response.statusCode !== expected) return failed(text.slice(0, 200), response.statusCode);
      return JSON.parse(text).data;
    } catch (err) {
      return failed(err instanceof Error ? err.message : String(err));
    }
  };
  return { send, close: () => pool.close() };
}
