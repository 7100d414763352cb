import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jsonObject } from '@parley/contracts';
import { verifyWebhook } from '@parley/webhook-verify';
import { z } from 'zod';
import { TOOL_NAME } from './assistant.ts';
import { checkAvailability } from './availability.ts';
import { createDeliveries, type Deliveries, lifecycleEvent } from './deliveries.ts';

/** The client's side of the demo: receives webhooks and answers tool requests. */
export type Receiver = {
  webhookUrl: string;
  toolUrl: string;
  deliveries: Deliveries;
  /** Tool requests, and how many of them were signed. */
  toolRequests: { all: number; signed: number };
  close(): Promise<void>;
};

const toolInvocation = z.object({ payload: z.object({ args: jsonObject }) });

type Reply = { status: number; body?: object };

/** Listens on a free port of loopback. `secret`: the workspace's signing secret, `whsec_…` [webhooks.7] [tools.17]. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const deliveries = createDeliveries();
  const toolRequests = { all: 0, signed: 0 };

  const isSigned = ({ headers }: IncomingMessage, body: string): boolean =>
    verifyWebhook(body, headers, secret);

  const receiveWebhook = (request: IncomingMessage, body: string): Reply => {
    const content = lifecycleEvent.safeParse(JSON.parse(body));
    if (!content.success) return { status: 400 };
    const signed = isSigned(request, body);
    const webhookId = String(request.headers['webhook-id'] ?? '');
    deliveries.note({ webhookId, signed, content: content.data });
    return { status: signed ? 204 : 401 };
  };

  const answerTool = (request: IncomingMessage, body: string): Reply => {
    toolRequests.all += 1;
    if (!isSigned(request, body)) return { status: 401 };
    toolRequests.signed += 1;
    const { args } = toolInvocation.parse(JSON.parse(body)).payload;
    return { status: 200, body: checkAvailability(args) };
  };

  const paths: Record<string, typeof answerTool> = {
    '/webhooks': receiveWebhook,
    [`/tools/${TOOL_NAME}`]: answerTool,
  };
  const server = createServer(async (request, response) => {
    try {
      const body = await readText(request);
      const take = paths[request.url ?? ''];
      reply(response, take && request.method === 'POST' ? take(request, body) : { status: 404 });
    } catch {
      reply(response, { status: 400 });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    webhookUrl: `${url}/webhooks`,
    toolUrl: `${url}/tools/${TOOL_NAME}`,
    deliveries,
    toolRequests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function reply(response: ServerResponse, { status, body }: Reply): void {
  if (response.destroyed || response.headersSent) return;
  if (!body) return void response.writeHead(status).end();
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
