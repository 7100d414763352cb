import { type IncomingMessage, TransportError } from 'sip.js/lib/core/index.js';
import type { SipConnection } from './connection.ts';
import type { Connections, Hop } from './connections.ts';
import { readHeader } from './read-header.ts';
import type { Router } from './router.ts';

/** The address of this process in Via and Contact. */
export type OwnAddress = {
  /** Of its listeners; by default the local address of the connection. */
  host: string | undefined;
  ports: { tcp?: number; tls?: number };
  /** For the edge: a name that does not resolve (RFC 7118, 5) and identifies this process. */
  edge: { host: string };
};

/** Carries the messages of a leg. It outlives connections: the next message replaces a lost one. */
export type Flow = {
  readonly hop: Hop;
  /** Connects to another server of the trunk, which gets all messages from then on. Rejects if that fails. */
  moveTo(hop: Hop): Promise<void>;
  readonly protocol: 'TCP' | 'TLS' | 'WS';
  /** Our end in Via, and in Contact; valid once connected. */
  viaHost(): string;
  contactUri(user: string): string;
  localAddress(): string;
  /** Replaces a lost connection, which takes time. Rejects if that fails. */
  ensureConnected(): Promise<void>;
  send(text: string): Promise<void>;
  /** Responses to this request are sent on the connection on which it came. */
  arrived(message: IncomingMessage, connection: SipConnection): void;
  close(): void;
};

type Deps = { connections: Connections; router: Router; own: () => OwnAddress };

const MAX_PENDING_REQUESTS = 32;
const PROTOCOLS = { tcp: 'TCP', tls: 'TLS', ws: 'WS' } as const;
const VIA = ['via', 'v'];
const BRANCH = /;\s*branch\s*=\s*([^;,\s]+)/i;

/** Connects, unless `first` is open already: the connection on which a call came in. Rejects if that fails. */
export async function openFlow(
  { connections, router, own }: Deps,
  { hop: firstHop, callId, first }: { hop: Hop; callId: string | null; first?: SipConnection },
): Promise<Flow> {
  let hop = firstHop;
  let current = first ?? (await connections.to(hop));
  let release = connections.hold(current);
  let isClosed = false;
  const arrivedOn = new Map<string, SipConnection>();

  /** The connected edge: after a loss it may be another one than at first. */
  const wayOf = (): Hop => (hop.via === 'edge' ? { via: 'edge', edge: current.edge } : hop);

  const connect = async (to: Hop): Promise<SipConnection> => {
    const next = await connections.to(to);
    release();
    current = next;
    release = isClosed ? () => {} : connections.hold(next);
    return next;
  };
  const connected = async (): Promise<SipConnection> => (current.isOpen ? current : connect(wayOf()));

  const portOf = (): number => {
    const { transport, localPort } = current;
    return (transport === 'ws' ? undefined : own().ports[transport]) ?? localPort;
  };
  const hostOf = (): string => bracketed(own().host ?? current.localAddress);

  return {
    get hop() {
      return wayOf();
    },
    async moveTo(next) {
      await connect(next);
      hop = next;
    },
    protocol: PROTOCOLS[current.transport],
    viaHost: () => (hop.via === 'edge' ? own().edge.host : `${hostOf()}:${portOf()}`),
    contactUri: (user) =>
      hop.via === 'edge'
        ? `sip:${user}@${own().edge.host};transport=ws`
        : `sip:${user}@${hostOf()}:${portOf()};transport=${current.transport}`,
    localAddress: () => current.localAddress,
    async ensureConnected() {
      await connected();
    },
    async send(text) {
      const [, branch = ''] = (text.startsWith('SIP/2.0') && BRANCH.exec(readHeader(text, VIA) ?? '')) || [];
      const back = arrivedOn.get(branch);
      try {
        router.send(back?.isOpen ? back : await connected(), callId, text);
      } catch (error) {
        throw new TransportError(error instanceof Error ? error.message : String(error));
      }
    },
    arrived({ viaBranch }, connection) {
      arrivedOn.set(viaBranch, connection);
      const [oldest] = arrivedOn.keys();
      if (arrivedOn.size > MAX_PENDING_REQUESTS && oldest !== undefined) arrivedOn.delete(oldest);
    },
    close() {
      isClosed = true;
      release();
    },
  };
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
