import { monotonicMs, realSleep } from '@parley/kit/time';
import { createClient, type Tally } from './client.ts';
import { nextRequest, type Target } from './next-request.ts';
import { uploadSlowly } from './upload-slowly.ts';
import { makeWebCalls } from './web-calls.ts';

export type Load = Tally & {
  /** Ids of accepted calls: placed, inbound, and web calls. */
  placed: string[];
  received: string[];
  joined: string[];
};

/** Enough clients that each replica gets some of their connections. */
const CLIENTS = 8;
const CONNECTIONS_EACH = 8;
/** Every seventh request closes its connection, so that new ones are opened throughout. */
const CLOSE_EVERY = 7;

/**
 * Requests at a steady rate until `signal` aborts, independent of response times; concurrently, consecutive web calls and
 * consecutive slow uploads of contact lists.
 */
export async function sendLoad(target: Target, rate: number, signal: AbortSignal): Promise<Load> {
  const load: Load = { sent: 0, failures: [], latenciesMs: [], placed: [], received: [], joined: [] };
  const clients = Array.from({ length: CLIENTS }, () =>
    createClient(target.url, target.key, CONNECTIONS_EACH, load),
  );
  const clientOf = (n: number) => clients[n % CLIENTS] as (typeof clients)[number];
  const concurrent = [
    makeWebCalls(clientOf(0), target, signal, load),
    uploadSlowly(clientOf(1), target, signal),
  ];
  const pending = new Set<Promise<void>>();

  const send = async (n: number): Promise<void> => {
    const request = nextRequest(n, target, load.placed.at(-1));
    const data = await clientOf(n).send({ ...request, closesConnection: n % CLOSE_EVERY === 0 });
    if (request.path === '/v2/call' && data?.id) load.placed.push(data.id);
    if (request.path === '/simulator/inbound' && data?.call_id) load.received.push(data.call_id);
  };

  const beganMs = monotonicMs();
  for (let n = 0; ; n += 1) {
    const waitMs = beganMs + (n * 1_000) / rate - monotonicMs();
    if (waitMs > 0) await realSleep(waitMs, signal).catch(() => {});
    if (signal.aborted) break;
    const work = send(n);
    pending.add(work);
    void work.finally(() => pending.delete(work));
  }
  await Promise.all([...pending, ...concurrent]);
  await Promise.all(clients.map((client) => client.close()));
  return load;
}
