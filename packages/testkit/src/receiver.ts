import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { closed, listenLocally } from './ports.ts';

/** The response to a request; `{}` is an immediate empty 200. */
export type Answer = {
  status?: number;
  headers?: Record<string, string>;
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
  delayMs?: number;
  /** Sends `Location` with a 302, or with the given status. */
  redirect?: string;
  /** `hang` never responds, `reset` resets the connection; both after `delayMs`. */
  fault?: 'hang' | 'reset';
};

export type ReceivedRequest = {
  method: string;
  /** With the query. */
  url: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The exact bytes as text. */
  body: string;
  /** When the body was complete. */
  receivedAt: Date;
};

export type Receiver = {
  /** Without a slash at the end. */
  url: string;
  port: number;
  /** In the order of arrival, of all paths or of one. */
  requests(path?: string): ReceivedRequest[];
  /** Sets the responses of a path: one per request, the last one for all further requests. Other paths respond with an empty 200. */
  script(path: string, ...answers: Answer[]): void;
  /**
   * Verifies the Standard Webhooks signature with the official library [webhooks.7] and returns the parsed body; throws if it is
   * invalid.
   */
  verify(request: ReceivedRequest, secret: string): unknown;
  close(): Promise<void>;
};

/** A client's server: records requests and responds as scripted. */
export async function receiver(): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const scripts = new Map<string, Answer[]>();
  const closing = new AbortController();

  const nextAnswer = (path: string): Answer => {
    const answers = scripts.get(path) ?? [];
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? {};
  };

  const server = createServer(async (req, res) => {
    try {
      const request = await record(req);
      received.push(request);
      await send(res, nextAnswer(request.path), closing.signal);
    } catch {
      // The sender closed the connection, or the receiver closes.
      res.destroy();
    }
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: (path) => received.filter((request) => path === undefined || request.path === path),
    script: (path, ...answers) => void scripts.set(path, answers),
    verify: ({ method, url, headers, body }, secret) => {
      const webhook = new Webhook(secret);
      if (method !== 'GET') return webhook.verify(body, flat(headers));
      // The package would parse the signed content as JSON, which a request line is not.
      const [id = '', seconds = ''] = [headers['webhook-id'], headers['webhook-timestamp']].map(String);
      const signature = webhook.sign(id, new Date(Number(seconds) * 1000), `GET ${url}`);
      if (!String(headers['webhook-signature']).split(' ').includes(signature))
        throw new Error('No matching signature');
      return undefined;
    },
    close: async () => {
      closing.abort();
      server.closeAllConnections();
      await closed(server);
    },
  };
}

async function record(req: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const url = req.url ?? '/';
  return {
    method: req.method ?? '',
    url,
    path: url.split('?', 1)[0] ?? url,
    headers: req.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    receivedAt: new Date(),
  };
}

async function send(res: ServerResponse, answer: Answer, closing: AbortSignal): Promise<void> {
  if (answer.delayMs) await sleep(answer.delayMs, undefined, { signal: closing });
  if (answer.fault === 'reset') res.socket?.resetAndDestroy();
  if (answer.fault) return;
  const { body, redirect } = answer;
  const json = body !== undefined && typeof body !== 'string';
  res.writeHead(answer.status ?? (redirect === undefined ? 200 : 302), {
    ...(json && { 'content-type': 'application/json' }),
    ...(redirect !== undefined && { location: redirect }),
    ...answer.headers,
  });
  res.end(json ? JSON.stringify(body) : (body ?? ''));
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
