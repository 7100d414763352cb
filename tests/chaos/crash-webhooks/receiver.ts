import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Clock } from '@parley/kit/time';
import type { Random } from '@parley/testkit/load';
import { verifyWebhook } from '@parley/webhook-verify';

/** A received request. */
export type Arrival = {
  eventId: string;
  callId: string;
  event: string;
  attempt: number;
  body: string;
  /** Stack time. */
  atMs: number;
  /** Index of the deliverer that sent it; undefined if the signature matches none. */
  sender: number | undefined;
  /** Status of the response, once sent. */
  status: number | undefined;
};

/** Called before a request is answered. True: the interceptor sends the response. */
type Interceptor = (arrival: Arrival, answer: (status: number) => Promise<void>) => boolean;

export type CrashReceiver = {
  url: string;
  arrivals: Arrival[];
  /** Number of requests with an invalid signature. */
  badlySigned(): number;
  intercept(by: Interceptor | undefined): void;
};

const FAILING_SHARE = 0.08;
const SLOW_SHARE = 0.1;
const SLOW_MS = 400;

/** A client's server that records every request; most of its responses are an immediate 200. */
export async function openReceiver(
  { secrets, clock, random }: { secrets: readonly string[]; clock: Clock; random: Random },
  lifecycle: Lifecycle,
): Promise<CrashReceiver> {
  const arrivals: Arrival[] = [];
  let badlySigned = 0;
  let interceptor: Interceptor | undefined;

  const onRequest = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const atMs = clock.now().getTime();
    const body = Buffer.concat(chunks).toString('utf8');
    const { headers } = req;
    const signer = secrets.findIndex((secret) => isSignedWith(secret, body, headers));
    if (signer < 0) badlySigned += 1;
    const { call_id: callId, event } = JSON.parse(body);
    const arrival: Arrival = {
      eventId: String(headers['webhook-id']),
      callId,
      event,
      attempt: Number(headers['x-webhook-attempt']),
      body,
      atMs,
      sender: signer < 0 ? undefined : signer,
      status: undefined,
    };
    arrivals.push(arrival);
    const answer = (status: number): Promise<void> =>
      new Promise((resolve) => {
        arrival.status = status;
        res.writeHead(status).end(() => resolve());
      });
    if (interceptor?.(arrival, answer)) return;
    if (random.chance(SLOW_SHARE)) await sleep(random.upTo(SLOW_MS));
    await answer(random.chance(FAILING_SHARE) ? 500 : 200);
  };

  const server = createServer((req, res) => void onRequest(req, res).catch(() => res.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lifecycle.onStop('receiver', async () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    badlySigned: () => badlySigned,
    intercept: (by) => {
      interceptor = by;
    },
  };
}

function isSignedWith(secret: string, body: string, headers: IncomingMessage['headers']): boolean {
  try {
    verifyWebhook(body, headers, secret);
    return true;
  } catch {
    return false;
  }
}
