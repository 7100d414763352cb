import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** How a double handles requests and connections. With `times`, it behaves normally after that many. */
export type Behavior =
  | { kind: 'normal' }
  /** Delay of each response or message. */
  | { kind: 'slow'; delayMs: number }
  /** Refuses the request or the handshake. `isEndless`: the refusal's body never ends. */
  | { kind: 'status'; status: number; times?: number; isEndless?: boolean }
  /** Accepts the connection of a request or a handshake, and never completes the headers of a response, of which some come all the time. */
  | { kind: 'unanswered'; times?: number }
  /** Accepts the request or the handshake, and never responds. */
  | { kind: 'hang'; times?: number }
  /** Stops after the first chunk of a response, or its first message, and leaves the connection open. */
  | { kind: 'stall'; times?: number }
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
  /** Sets what the human says: each utterance is recognized once, the last one repeatedly. */
  hears(...utterances: string[]): void;
  /** Words that were spoken, in the pieces in which they arrived. */
  readonly spoken: readonly string[];
  /** Bytes of audio that recognition received, over all connections. */
  readonly heardBytes: number;
  behave(behavior: Behavior): void;
  openConnections(): Promise<number>;
  /** Requests whose response is not over, and connections of WebSockets; not idle connections that a client keeps for later. */
  readonly openExchanges: number;
  close(): Promise<void>;
};

const DRIP_MS = 50;

/** State for the implementation of the provider's protocol. */
export type DoubleState = {
  spoken: string[];
  heardBytes: number;
  nextUtterance(): string;
  /** Consumes one of `times`. */
  behavior(): Behavior;
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
  let behavior: Behavior = { kind: 'normal' };
  let timesLeft = 0;
  const state: DoubleState & { heardBytes: number } = {
    spoken: [],
    heardBytes: 0,
    nextUtterance: () => (utterances.length > 1 ? utterances.shift() : utterances[0]) ?? '',
    behavior: () => {
      if (behavior.kind === 'normal' || behavior.kind === 'slow') return behavior;
      if (timesLeft <= 0) return { kind: 'normal' };
      timesLeft -= 1;
      return behavior;
    },
  };

  let openExchanges = 0;
  /** The server does not close these itself. */
  const upgrading = new Set<Duplex>();
  const untilClosed = (exchange: ServerResponse | Duplex): void => {
    openExchanges += 1;
    exchange.once('close', () => {
      openExchanges -= 1;
    });
  };
  const isEndless = (): boolean => behavior.kind === 'status' && behavior.isEndless === true;
  /** These are the same in all protocols. */
  const refusal = (request: IncomingMessage): { status: number; words?: string } | 'never' | undefined => {
    if (!protocol.isAuthorized(request)) return { status: 401, words: keyIn(request) };
    if (behavior.kind !== 'unanswered' && !(behavior.kind === 'status' && behavior.isEndless))
      return undefined;
    const now = state.behavior();
    if (now.kind === 'unanswered') return 'never';
    return now.kind === 'status' ? { status: now.status } : undefined;
  };

  const server = createServer(async (request, response) => {
    const entry: { path: string; body?: unknown } = { path: request.url ?? '' };
    requests.push(entry);
    untilClosed(response);
    try {
      const refused = refusal(request);
      if (refused === 'never') return drip(request.socket);
      if (refused) return refuse(response, refused.status, refused.words, isEndless());
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
    untilClosed(socket);
    const refused = refusal(request);
    upgrading.add(socket);
    socket.once('close', () => upgrading.delete(socket));
    // Otherwise the client's end of the connection is not noticed.
    if (refused) socket.resume().once('end', () => socket.destroy());
    if (refused === 'never') return drip(socket);
    if (refused) return refuseUpgrade(socket, refused.status, refused.words, isEndless());
    if (!protocol.socket) return refuseUpgrade(socket, 404);
    if (behavior.kind === 'status') {
      const now = state.behavior();
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
      behavior = given;
      timesLeft = 'times' in given ? (given.times ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    },
    get openExchanges() {
      return openExchanges;
    },
    openConnections: async () =>
      new Promise((resolve, reject) =>
        server.getConnections((err, count) => (err ? reject(err) : resolve(count))),
      ),
    close: async () => {
      for (const socket of upgrading) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function drip(socket: Duplex): void {
  socket.write('HTTP/1.1 200 OK\r\nx-drips: ');
  const timer = setInterval(() => socket.write('.'), DRIP_MS);
  socket.once('close', () => clearInterval(timer));
}

/** Some providers repeat an invalid key in their answer. */
function keyIn({ headers }: IncomingMessage): string {
  return `: invalid key ${headers.authorization ?? headers['xi-api-key']}`;
}

export function refuse(response: ServerResponse, status: number, words = '', isEndless = false): void {
  const body = JSON.stringify({ error: { message: `refused with ${status}${words}` } });
  response.writeHead(status, { 'content-type': 'application/json' });
  if (isEndless) response.write(body);
  else response.end(body);
}

function refuseUpgrade(socket: Duplex, status: number, words = '', isEndless = false): void {
  const body = `refused with ${status}${words}`;
  const length = isEndless ? body.length + 1 : body.length;
  const answer = `HTTP/1.1 ${status} Refused\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;
  if (isEndless) socket.write(answer);
  else socket.end(answer);
}

/** The first bytes of an answer in JSON. */
export function beginJson(response: ServerResponse, onSent = (): void => {}): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"', onSent);
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
