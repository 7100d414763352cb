import type { SecureContext } from 'node:tls';
import type { Log } from '../log/index.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { Deadline } from './deadline.ts';
import { codeOf, describeError } from './describe-error.ts';
import { type Exchange, type ExchangeRequest, exchange } from './exchange.ts';
import type { InternalPorts } from './internal-ports.ts';
import type { Cidr } from './ip-address.ts';
import { openConnection } from './open-connection.ts';
import type { Target } from './parse-target.ts';
import type { OutboundFailure } from './request.ts';
import { resolveTarget } from './resolve-target.ts';
import type { Resolver } from './resolver.ts';

export type HopDeps = {
  resolver: Resolver;
  pool: ConnectionPool;
  allowCidrs: readonly Cidr[];
  allowHosts: readonly string[];
  internalPorts: InternalPorts;
  log: Log;
  secureContext: SecureContext;
};

export type HopRequest = Omit<ExchangeRequest, 'deadline' | 'path'> & {
  allowHttp: boolean;
  replayable: boolean;
};

/** The result of a request to one origin, or why it was not sent. */
export type Hop =
  | { exchange: Exchange; remoteAddress: string; sent: boolean }
  | { failure: OutboundFailure; error: string; insecure: boolean; sent: boolean };

const GONE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', '']);

/** A reused connection was closed before a byte of the request was sent. If it closes later the receiver may have read the request. */
const isUnsent = ({ sent, error }: Exchange, deadline: Deadline): boolean =>
  !sent && error !== undefined && GONE.has(codeOf(error)) && deadline.cause() === undefined;

/** resolve → check → connect → verify the peer → send → read, for one hop. Never rejects. */
export async function runHop(
  target: Target,
  request: HopRequest,
  deadline: Deadline,
  deps: HopDeps,
): Promise<Hop> {
  const { resolver, pool, allowCidrs, allowHosts, internalPorts, secureContext, log } = deps;
  const { allowHttp, replayable: keep } = request;
  const path = target.url.pathname + target.url.search;

  let sent = false;

  const sendOn = async (connection: Connection): Promise<Exchange> => {
    const result = await exchange(connection, { ...request, path, deadline });
    sent ||= result.sent;
    if (keep && result.complete) pool.give(connection);
    else connection.destroy();
    return result;
  };

  try {
    const resolution = await deadline.race(
      resolveTarget(target, resolver, { allowCidrs, allowHosts, internalPorts, allowHttp }),
    );
    if ('refused' in resolution) {
      log.info({ reason: resolution.reason }, 'outbound address rejected');
      return { failure: 'address_refused', error: resolution.refused, insecure: resolution.insecure, sent };
    }
    const { addresses } = resolution;
    const reused = keep ? pool.take(target.url.origin, addresses) : undefined;
    if (reused) {
      const result = await sendOn(reused);
      if (!isUnsent(result, deadline)) return { exchange: result, remoteAddress: reused.address, sent };
    }
    const opened = await openConnection(target, addresses, { keep, signal: deadline.signal, secureContext });
    const result = await sendOn(opened);
    return { exchange: result, remoteAddress: opened.address, sent };
  } catch (error) {
    const cause = deadline.cause();
    const sentence = cause === undefined ? describeError(error) : deadline.sentence;
    return { failure: cause ?? 'connection_error', error: sentence, insecure: false, sent };
  }
}
