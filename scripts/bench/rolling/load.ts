import { monotonicMs, realSleep } from '@parley/kit/time';
import { Pool } from 'undici';

export type Failure = { at: string; request: string; was: string };
export type Load = {
  sent: number;
  failures: Failure[];
  latenciesMs: number[];
  /** Calls that were accepted. */
  calls: string[];
};

export type Target = { url: string; key: string; agentId: string; fromNumber: string };

/** What a request asks, and what is kept of its answer. */
type Ask = { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: unknown; expected: number };

/**
 * Requests at a steady rate, however long the answers take, by a client that keeps its connections and repeats nothing: what
 * fails has failed. Of ten requests one places a call.
 */
export async function sendLoad(target: Target, rate: number, signal: AbortSignal): Promise<Load> {
  const pool = new Pool(target.url, { connections: 64, pipelining: 1, keepAliveTimeout: 3_000 });
  const load: Load = { sent: 0, failures: [], latenciesMs: [], calls: [] };
  const underWay = new Set<Promise<void>>();
  const beganMs = monotonicMs();
  for (let n = 0; !signal.aborted; n += 1) {
    const waitMs = beganMs + (n * 1_000) / rate - monotonicMs();
    if (waitMs > 0) await realSleep(waitMs, signal).catch(() => {});
    const asked = nextAsk(n, target, load.calls);
    load.sent += 1;
    const work = ask(pool, target.key, asked, load).finally(() => underWay.delete(work));
    underWay.add(work);
  }
  await Promise.all(underWay);
  await pool.close();
  return load;
}

function nextAsk(n: number, { agentId, fromNumber }: Target, calls: readonly string[]): Ask {
  const lastCall = calls.at(-1);
  switch (n % 10) {
    case 0: {
      const to_number = `+1303${String(n).padStart(6, '0').slice(-6)}4321`;
      return {
        method: 'POST',
        path: '/v2/call',
        body: { to_number, from_number: fromNumber },
        expected: 201,
      };
    }
    case 1:
    case 5:
      if (lastCall) return { method: 'GET', path: `/v2/call/${lastCall}`, expected: 200 };
      return { method: 'GET', path: '/v1/voice', expected: 200 };
    case 2:
      return {
        method: 'PATCH',
        path: `/v1/assistant/${agentId}`,
        body: { agent_name: `Ada ${n}` },
        expected: 200,
      };
    case 3:
      return { method: 'GET', path: '/v1/campaigns?limit=5', expected: 200 };
    case 4:
      if (lastCall) return { method: 'GET', path: `/v2/call/${lastCall}/webhooks`, expected: 200 };
      return { method: 'GET', path: '/v1/voice', expected: 200 };
    case 6:
      return { method: 'POST', path: '/v2/call/list', body: { size: 5 }, expected: 200 };
    case 7:
      return {
        method: 'POST',
        path: '/v1/campaigns',
        body: {
          campaign_name: `Draft ${n}`,
          agent_id: agentId,
          phone_number: fromNumber,
          contacts: [{ phone_number: '+13035550123' }],
        },
        expected: 201,
      };
    case 8:
      return { method: 'GET', path: `/v1/assistant/${agentId}`, expected: 200 };
    default:
      return { method: 'POST', path: '/v1/phone-number/list', body: {}, expected: 200 };
  }
}

async function ask(
  pool: Pool,
  key: string,
  { method, path, body, expected }: Ask,
  load: Load,
): Promise<void> {
  const startedMs = monotonicMs();
  const at = new Date().toISOString();
  const request = `${method} ${path}`;
  try {
    const answer = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : null,
      headersTimeout: 30_000,
    });
    const text = await answer.body.text();
    load.latenciesMs.push(monotonicMs() - startedMs);
    if (answer.statusCode !== expected) {
      load.failures.push({ at, request, was: `${answer.statusCode} ${text.slice(0, 200)}` });
    } else if (path === '/v2/call') load.calls.push(JSON.parse(text).data.id);
  } catch (err) {
    load.failures.push({ at, request, was: err instanceof Error ? err.message : String(err) });
  }
}
