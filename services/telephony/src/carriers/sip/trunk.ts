import type { NumberConnection } from '../call-control.ts';

/** To trunks directly: `tcp`, `tls`. To the edge: `ws`; the edge also supports `udp`. */
export type SipTransport = 'udp' | 'tcp' | 'tls' | 'ws';

export type Credentials = { username: string; password: string };

/** The trunk of a number, as the customer configured it [numbers.2]. */
export type Trunk = {
  host: string;
  /** Null: the default of the transport. */
  port: number | null;
  transport: 'udp' | 'tcp' | 'tls';
  credentials: Credentials | null;
};

const DEFAULT_PORT = 5_060;
const DEFAULT_TLS_PORT = 5_061;

export function trunkOfConnection(connection: NumberConnection): Trunk {
  if (connection.provider !== 'hosted_sip') throw new Error('The number is not connected by a SIP trunk');
  const { terminationUri, transport, credentials } = connection;
  const [, host = terminationUri, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(terminationUri) ?? [];
  return { host, port: port === undefined ? null : Number(port), transport, credentials };
}

export function portOf({ port, transport }: Pick<Trunk, 'port' | 'transport'>): number {
  return port ?? (transport === 'tls' ? DEFAULT_TLS_PORT : DEFAULT_PORT);
}

/** The server of a `sip:` destination, which is called without credentials; undefined: a number, which is called over the trunk. */
export function trunkOfDestination(destination: string): Trunk | undefined {
  const [, scheme, host, port, parameters = ''] =
    /^(sips?):(?:[^@]*@)?(\[[^\]]+\]|[^:;?]+)(?::(\d+))?([^?]*)/i.exec(destination) ?? [];
  if (scheme === undefined || host === undefined) return undefined;
  const named = /;transport=(udp|tcp|tls)\b/i.exec(parameters)?.[1]?.toLowerCase() as
    | Trunk['transport']
    | undefined;
  const transport = scheme.toLowerCase() === 'sips' ? 'tls' : (named ?? 'udp');
  return { host, port: port === undefined ? null : Number(port), transport, credentials: null };
}
