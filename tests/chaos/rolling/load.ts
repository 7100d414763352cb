import { monotonicMs, realSleep } from '@parley/kit/time';
import { createClient, type Tally } from './client.ts';
import { nextAsk, type Target } from './next-ask.ts';
import { talkOnTheWeb } from './talk-on-the-web.ts';
import { uploadSlowly } from './upload-slowly.ts';

export type Load = Tally & {
  /** Calls that were accepted: those that were placed, those that came in, and those of the web. */
  placed: string[];
  received: string[];
  joined: string[];
};

/** As many clients as keep connections of their own, so that each replica has some of them. */
const CLIENTS = 8;
const CONNECTIONS_EACH = 8;
/** Every so many requests one closes its connection behind it, so that new ones are opened all the time. */
const LAST_OF_ITS_CONNECTION = 7;

/**
 * Requests at a steady rate until `signal` fires, however long the answers take; beside them one web call after the other,
 * and one contact list after the other that takes its time.
 */
export async function sendLoad(target: Target, rate: number, signal: AbortSignal): Promise<Load> {
  const load: Load = { sent: 0, failures: [], latenciesMs: [], placed: [], received: [], joined: [] };
  const clients = Array.from({ length: CLIENTS }, () =>
    createClient(target.url, target.key, CONNECTIONS_EACH, load),
  );
  const clientOf = (n: number) => clients[n % CLIENTS] as (typeof clients)[number];
  const beside = [talkOnTheWeb(clientOf(0), target, signal, load), uploadSlowly(clientOf(1), target, signal)];
  const underWay = new Set<Promise<void>>();

  const send = async (n: number): Promise<void> => {
    const asked = nextAsk(n, target, load.placed.at(-1));
    const answered = await clientOf(n).ask({ ...asked, last: n % LAST_OF_ITS_CONNECTION === 0 });
    if (asked.path === '/v2/call' && answered?.id) load.placed.push(answered.id);
    if (asked.path === '/simulator/inbound' && answered?.call_id) load.received.push(answered.call_id);
  };

  const beganMs = monotonicMs();
  for (let n = 0; ; n += 1) {
    const waitMs = beganMs + (n * 1_000) / rate - monotonicMs();
    if (waitMs > 0) await realSleep(waitMs, signal).catch(() => {});
    if (signal.aborted) break;
    const work = send(n);
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  }
  await Promise.all([...underWay, ...beside]);
  await Promise.all(clients.map((client) => client.close()));
  return load;
}
