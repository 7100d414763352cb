import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** How a double handles requests and connections. With `times`, it behaves normally after that many. */
export type Behaviour =
  | { kind: 'normal' }
  /** Delay of each response or message. */
  | { kind: 'slow'; delayMs: number }
  /** Refuses the request or the handshake. */
  | { kind: 'status'; status: number; times?: number }
  /** Accepts, and never responds. */
  | { kind: 'hang'; times?: number }
  /** Breaks the connection off after the first chunk of a response, or after this many bytes of speech. */
  | { kind: 'break'; times?: number; afterBytes?: number }
  /** Responds with data outside of the protocol. */
  | { kind: 'garbage'; times?: number };

export type ProviderDouble = {
  /** Base URL, http. */
  readonly url: string;
  readonly key: string;
  /** Paths with their queries, of HTTP requests and handshakes, in their order; with the JSON body of a request. */
  readonly requests: readonly { path: string; body?: unknown }[];
  /** Sets what the human says: each utterance is recognised once, the last one repeatedly. */
  hears(...utterances: string[]): void;
  /** Words that were spoken, in the pieces in which they arrived. */
  readonly spoken: readonly string[];
  /** Bytes of audio that recognition received, over all connections. */
  readonly heardBytes: number;
  behave(behaviour: Behaviour): void;
  openConnections(): Promise<number>;
  close(): Promise<void>;
};

/** State for the implementation of the provider's protocol. */
export type DoubleState = {
  spoken: string[];
  heardBytes: number;
  nextUtterance(): string;
  /** Consumes one of `times`. */
  behaviour(): Behaviour;
};

type Protocol = {
  key: string;
  isAuthorized(request: IncomingMessage): boolean;
  http?(request: IncomingMessage, response: ServerResponse, state: DoubleState): Promise<{ body?: unknown }>;
  socket?(socket: WebSocket, url: URL, state: DoubleState): void;
};

/** A server on loopback for one provider's protocol. */
export async function createProviderDouble(protocol: Protocol): Promise<ProviderDouble> {
  const requests: { path: string; body?: unknown }[] = [];
  let utterances = ['hello there'];
  let behaviour: Behaviour = { kind: 'normal' };
  let timesLeft = 0;
  const state: DoubleState & { heardBytes: number } = {
    spoken: [],
    heardBytes: 0,
    nextUtterance: () => (utterances.length > 1 ? utterances.shift() : utterances[0]) ?? '',
    behaviour: () => {
      if (behaviour.kind === 'normal' || behaviour.kind === 'slow') return behaviour;
      if (timesLeft <= 0) return { kind: 'normal' };
      timesLeft -= 1;
      return behaviour;
    },
  };

  const server = createServer(async (request, response) => {
    const entry: { path: string; body?: unknown } = { path: request.url ?? '' };
    requests.push(entry);
    try {
      if (!protocol.isAuthorized(request)) return refuse(response, 401, keyIn(request));
      if (!protocol.http) return refuse(response, 404);
      Object.assign(entry, await protocol.http(request, response, state));
    } catch {
      response.destroy();
    }
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    requests.push({ path: request.url ?? '' });
    socket.on('error', () => {});
    if (!protocol.isAuthorized(request)) return refuseUpgrade(socket, 401, keyIn(request));
    if (!protocol.socket) return refuseUpgrade(socket, 404);
    if (behaviour.kind === 'status') {
      const now = state.behaviour();
      if (now.kind === 'status') return refuseUpgrade(socket, now.status);
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => {});
      protocol.socket?.(opened, new URL(request.url ?? '', 'http://double'), state);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    key: protocol.key,
    requests,
    spoken: state.spoken,
    get heardBytes() {
      return state.heardBytes;
    },
    hears: (...given) => {
      utterances = given;
    },
    behave: (given) => {
      behaviour = given;
      timesLeft = 'times' in given ? (given.times ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    },
    openConnections: async () =>
      new Promise((resolve, reject) =>
        server.getConnections((err, count) => (err ? reject(err) : resolve(count))),
      ),
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Some providers repeat an invalid key in their answer. */
function keyIn({ headers }: IncomingMessage): string {
  return `: invalid key ${headers.authorization ?? headers['xi-api-key']}`;
}

export function refuse(response: ServerResponse, status: number, words = ''): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message: `refused with ${status}${words}` } }));
}

function refuseUpgrade(socket: Duplex, status: number, words = ''): void {
  const body = `refused with ${status}${words}`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function later(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
