import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { INTERNAL_HEADER_PREFIX } from '@parley/contracts';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';

/** Belong to one connection (RFC 9110, 7.6.1), or are replaced. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Services never need the key or the session, and a client must not set internal headers. */
const DROPPED = new Set([
  ...HOP_BY_HOP,
  'authorization',
  // The gateway starts a trace of its own, linked to the client's [trust.14].
  'baggage',
  'cookie',
  'expect',
  'host',
  'traceparent',
  'tracestate',
  'x-csrf-token',
  'x-request-id',
  'x-workspace-id',
  INTERNAL_TOKEN_HEADER,
]);

type Headers = Record<string, string | string[]>;

/** The client's headers for the service, with the gateway's own. */
export function requestHeaders(sent: IncomingHttpHeaders, own: Record<string, string>): Headers {
  const headers = without(sent, (name) => DROPPED.has(name) || name.startsWith(INTERNAL_HEADER_PREFIX));
  return { ...headers, ...own };
}

/** The service's headers for the client. */
export function answerHeaders(received: Record<string, string | string[] | undefined>): Headers {
  return without(received, (name) => HOP_BY_HOP.has(name) || name === 'x-request-id');
}

/** Whether a request announces a body, which may have arrived already. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function without(
  headers: Record<string, string | string[] | undefined>,
  drop: (name: string) => boolean,
): Headers {
  const kept: Headers = {};
  const named = namedByConnection(headers.connection);
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !drop(name) && !named?.has(name)) kept[name] = value;
  }
  return kept;
}

/** Headers that `Connection` declares hop-by-hop; nearly always none. */
function namedByConnection(connection: string | string[] | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(
    String(connection)
      .toLowerCase()
      .split(/[\s,]+/),
  );
}
