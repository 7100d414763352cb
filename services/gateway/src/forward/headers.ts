import type { IncomingHttpHeaders } from 'node:http';
import { INTERNAL_TOKEN_HEADER } from '@parley/kit/http';

/** Of one connection alone (RFC 9110, 7.6.1), or decided anew by us. */
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
/** The owner never needs the key or the session; and whoever could bring internal headers along would be whoever they say. */
const DROPPED = new Set([
  ...HOP_BY_HOP,
  'authorization',
  'cookie',
  'expect',
  'host',
  'x-csrf-token',
  'x-request-id',
  INTERNAL_TOKEN_HEADER,
]);

type Headers = Record<string, string | string[]>;

/** What of a client's headers goes on to the owner, with what the gateway vouches for. */
export function requestHeaders(sent: IncomingHttpHeaders, own: Record<string, string>): Headers {
  const headers = without(sent, (name) => DROPPED.has(name) || name.startsWith('x-parley-'));
  return { ...headers, ...own };
}

/** What of an owner's headers goes back to the client. */
export function answerHeaders(received: Record<string, string | string[] | undefined>): Headers {
  return without(received, (name) => HOP_BY_HOP.has(name) || name === 'x-request-id');
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

/** Headers that belong to this connection because it says so; nearly always there are none. */
function namedByConnection(connection: string | string[] | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return new Set(
    String(connection)
      .toLowerCase()
      .split(/[\s,]+/),
  );
}
