import { Readable } from 'node:stream';
import { monotonicMs } from '@parley/kit/time';
import { Pool } from 'undici';
import type { Ask } from './next-ask.ts';

type Failure = { at: string; request: string; was: string; status: number | undefined };

/** What came of requests. */
export type Tally = { sent: number; failures: Failure[]; latenciesMs: number[] };

/** What of an answer is read here. */
type Answered = {
  id?: string;
  call_id?: string;
  access_token?: string;
  messages?: { seq: number; role: string }[];
};

export type Client = {
  /** The `data` of the answer that was expected; undefined: it has failed, which the tally says. */
  ask(asked: Ask): Promise<Answered | undefined>;
  close(): Promise<void>;
};

/** A client that keeps its connections for as long as the server lets it, and repeats nothing: what fails has failed. */
export function createClient(url: string, key: string, connections: number, tally: Tally): Client {
  const pool = new Pool(url, { connections });

  const ask: Client['ask'] = async ({
    method,
    path,
    body,
    expected,
    token,
    last = false,
    isSlow = false,
  }) => {
    const startedMs = monotonicMs();
    const failed = (was: string, status?: number): undefined => {
      tally.failures.push({ at: new Date().toISOString(), request: `${method} ${path}`, was, status });
    };
    tally.sent += 1;
    try {
      const answer = await pool.request({
        method,
        path,
        headers: {
          ...(token ? { 'x-access-token': token } : { authorization: `Bearer ${key}` }),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        body: body instanceof Readable ? body : body ? JSON.stringify(body) : null,
        headersTimeout: 30_000,
        reset: last,
      });
      const text = await answer.body.text();
      if (!isSlow) tally.latenciesMs.push(monotonicMs() - startedMs);
      if (answer.statusCode !== expected) return failed(text.slice(0, 200), answer.statusCode);
      return JSON.parse(text).data;
    } catch (err) {
      return failed(err instanceof Error ? err.message : String(err));
    }
  };
  return { ask, close: () => pool.close() };
}
