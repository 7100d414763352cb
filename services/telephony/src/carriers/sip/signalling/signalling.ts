import { randomBytes } from 'node:crypto';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import type { TraceSink } from '../trace.ts';
import type { SipConnection } from './connection.ts';
import type { OwnersOf } from './connection-limit.ts';
import { type Connections, createConnections, type Hop } from './connections.ts';
import { SOURCE_HEADER } from './edge.ts';
import { createFindEdges, type FindEdges } from './find-edges.ts';
import { type Flow, type OwnAddress, openFlow } from './flow.ts';
import type { Listener } from './incoming-connections.ts';
import { createNoteDrop, type Drop } from './note-drops.ts';
import { createParseLimit } from './parse-limit.ts';
import { readHeader } from './read-header.ts';
import { createRouter, type Router } from './router.ts';

/** SIP of this process: its connections, and which leg each message belongs to. */
export type Signalling = {
  readonly router: Router;
  readonly connections: Connections;
  readonly findEdges: FindEdges;
  openFlow(hop: Hop, callId: string | null, first?: SipConnection): Promise<Flow>;
  /** Starts the configured listeners. */
  listen(): Promise<void>;
  /** Sets the only handler of requests that belong to no leg. */
  onRequest(take: (message: IncomingRequestMessage, connection: SipConnection) => void): void;
  /** Runs `dispose` after `ms`, or when the process stops: SIP's timers would keep it alive for half a minute. */
  disposeAfter(ms: number, dispose: () => void): void;
};

export type SignallingOptions = {
  edgeUrls?: readonly string[];
  listeners: readonly Listener[];
  /** The address at which trunks reach the listeners. */
  publicHost?: string | undefined;
  ca?: readonly string[] | undefined;
  /** The workspaces of the trunks with an address: the limits of unknown sources do not apply to it. */
  ownersOf?: OwnersOf;
  onDropped?: (reason: Drop) => void;
  trace: TraceSink;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
};

export function createSignalling(options: SignallingOptions): Signalling {
  const { edgeUrls = [], listeners, publicHost, ca, ownersOf, trace, clock, log, lifecycle } = options;
  const own: OwnAddress = {
    host: publicHost,
    ports: {},
    edge: { host: `${randomBytes(6).toString('hex')}.invalid` },
  };
  let takeRequest: (message: IncomingRequestMessage, connection: SipConnection) => void = () => {};

  const pending = new Set<() => void>();
  lifecycle.onStop('SIP transactions', () => {
    for (const dispose of pending) dispose();
  });
  const router = createRouter({
    trace,
    clock,
    onRequest: (message, connection) => takeRequest(message, connection),
    // Connections of unknown sources are closed by their timeout.
    onDropped: (connection, reason, text) =>
      noteDrop(reason, sourceOf(connection, text), !connections.isUnknown(connection)),
    onFailure: (err) => log.warn({ err }, 'a SIP message could not be handled'),
  });
  const parseLimit = createParseLimit(router.knows);
  const noteDrop = createNoteDrop(log, options.onDropped ?? (() => {}));
  const findEdges = createFindEdges(edgeUrls);
  const connections: Connections = createConnections({
    findEdges,
    ca,
    ownersOf,
    onRefused: (address, isKnown) => noteDrop('connection', address, isKnown),
    log,
    lifecycle,
    events: {
      onMessage: (connection, text) => {
        const isEdge = connection.transport === 'ws';
        const kind = isEdge ? 'edge' : connections.isUnknown(connection) ? 'unknown' : 'known';
        const verdict = parseLimit.judge(connection.remoteAddress, text, kind);
        if (verdict === 'parse') router.receive(connection, text);
        else if (verdict === 'drop') noteDrop('rate', sourceOf(connection, text), kind !== 'unknown');
      },
      onClosed: (connection, err) => {
        router.closed(connection);
        if (err) log.debug({ err, remote: connection.remoteAddress }, 'a SIP connection failed');
      },
    },
  });

  return {
    router,
    connections,
    findEdges,
    openFlow: (hop, callId, first) =>
      openFlow({ connections, router, own: () => own }, { hop, callId, ...(first ? { first } : {}) }),
    async listen() {
      for (const listener of listeners) {
        const { port } = await connections.listen(listener);
        own.ports[listener.transport] = port;
        log.info({ transport: listener.transport, port }, 'listening for SIP');
      }
    },
    onRequest: (take) => {
      takeRequest = take;
    },
    disposeAfter(ms, dispose) {
      const once = (): void => {
        clearTimeout(timer);
        if (pending.delete(once)) dispose();
      };
      const timer = setTimeout(once, ms).unref();
      pending.add(once);
    },
  };
}

/** The address that a message came from; through the edge only an INVITE carries one. */
function sourceOf({ transport, remoteAddress }: SipConnection, text: string): string {
  return (transport === 'ws' ? readHeader(text, [SOURCE_HEADER.toLowerCase()]) : undefined) ?? remoteAddress;
}
