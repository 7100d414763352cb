import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ServiceName } from '@parley/contracts';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import { AppError } from '@parley/kit/errors';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Metrics } from '@parley/kit/observability';
import { realTimer } from '@parley/kit/time';
import CircuitBreaker from 'opossum';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type Relayed, relay } from './relay.ts';

export type UpstreamRequest = {
  method: string;
  /** Path with its query. */
  path: string;
  headers: Record<string, string | string[]>;
  body: Readable | Buffer | null;
  /** The body has not arrived completely. */
  arriving: boolean;
  /** The key of shares: a workspace, or the network of an anonymous caller. */
  from: string;
  /** A caller without a key. */
  isAnonymous: boolean;
  /** A download, which may be as slow as the client. */
  isFile: boolean;
  /** How long the service may take to begin its response, if longer than usual. */
  headersTimeoutMs: number | undefined;
  /** Whether the service's work, not the body, takes that long. */
  isLong: boolean;
  /** The response to the client. */
  to: ServerResponse;
};

type RequestKind = Pick<UpstreamRequest, 'headersTimeoutMs' | 'body' | 'arriving' | 'isAnonymous' | 'isFile'>;

export type Upstream = { request(request: UpstreamRequest): Promise<Relayed> };

/** An unreachable service is a 503 within a second. */
const CONNECT_TIMEOUT_MS = 900;
/** Shorter than the services' own, also while they drain (STOP_DRAIN_MS), so that the gateway closes idle connections first. */
const KEEP_ALIVE_MS = 3_000;
const CONNECT_ATTEMPTS = 3;
const CONNECT_RETRY_MS = 50;
const RETRY_AFTER_SECONDS = 1;
/** A service that has not begun its response by then is considered hung. */
const HEADERS_TIMEOUT_MS = 30_000;
/** Maximum requests that wait for a connection: a hung service must not accumulate requests. */
const MAX_WAITING = 256;
const CONNECTIONS = 128;
/** Maximum connections for slow bodies of one workspace, so that others have capacity. */
const MAX_HELD = CONNECTIONS / 4;
const READS = new Set(['GET', 'HEAD']);

/**
 * Connections to one service (undici, with twice the throughput of got here) behind a circuit breaker. A read whose
 * connection broke is retried once; any other failure before the response begins is `503 SERVICE_UNAVAILABLE`, since the
 * service may have done the work.
 */
export function createUpstream(
  service: ServiceName,
  baseUrl: string,
  { lifecycle, metrics }: { lifecycle: Lifecycle; metrics: Metrics },
): Upstream {
  const connectPool = (kind: string): Pool => {
    const pool = new Pool(baseUrl, {
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      connect: connectWithRetry(),
      // No limit on bodies: `relay` disconnects clients that stop reading.
      bodyTimeout: 0,
    });
    lifecycle.onStop(`upstream ${service} ${kind}`, () => pool.close());
    return pool;
  };
  const usual = connectPool('usual');
  const writes = connectPool('writes');
  // Bodies that are still arriving have pools of their own: JSON for up to half a minute, uploads for up to half an hour.
  const sending = connectPool('sending');
  const long = connectPool('long');
  // Visitors and readers of files use no connection that the requests of keys need. Visitors' bodies have arrived completely.
  const files = connectPool('files');
  const visitors = connectPool('visitors');
  const visitorsLong = connectPool('visitors long');
  const poolOf = ({ headersTimeoutMs, body, arriving, isAnonymous, isFile }: RequestKind): Pool => {
    if (isFile) return files;
    if (headersTimeoutMs !== undefined) return isAnonymous ? visitorsLong : long;
    if (isAnonymous) return visitors;
    if (body) return arriving ? sending : writes;
    return usual;
  };
  const sendingShares = createKeyedLimiter({ concurrency: MAX_HELD });
  const longShares = createKeyedLimiter({ concurrency: MAX_HELD });
  /** Bodies that have arrived completely aren't slow and need no share. */
  const acquireShare = (request: UpstreamRequest): (() => void) => {
    const { headersTimeoutMs, isLong, body, arriving, from } = request;
    if (isLong) return longShares.acquireNow(from);
    if (!body || !arriving || Buffer.isBuffer(body)) return () => {};
    const release = (headersTimeoutMs === undefined ? sendingShares : longShares).acquireNow(from);
    body.once('close', release);
    return release;
  };

  const breaker = new CircuitBreaker(send, {
    name: service,
    // Requests have their own timeouts.
    timeout: false,
    volumeThreshold: 20,
    errorThresholdPercentage: 50,
    resetTimeout: 1_000,
    rollingCountTimeout: 5_000,
    rollingPercentilesEnabled: false,
    errorFilter: (err: unknown) => isClientGone(err),
  });
  metrics.circuitOpen.set({ peer: service }, 0);
  breaker.on('open', () => metrics.circuitOpen.set({ peer: service }, 1));
  // Half open: the next request passes.
  breaker.on('halfOpen', () => metrics.circuitOpen.set({ peer: service }, 0));
  breaker.on('close', () => metrics.circuitOpen.set({ peer: service }, 0));
  lifecycle.onStop(`breaker ${service}`, () => breaker.shutdown());

  async function send(request: UpstreamRequest): Promise<Relayed> {
    const { method, path, headers, body, headersTimeoutMs, to } = request;
    const pool = poolOf(request);
    if (pool === usual) requireFreeConnection(pool);
    const headersTimeout = headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
    const options = { method, path, headers, body, headersTimeout } as Dispatcher.DispatchOptions;
    try {
      return await relay(pool, options, to);
    } catch (err) {
      if (!READS.has(method) || body !== null || !isStaleConnection(err)) throw err;
      return relay(pool, options, to);
    }
  }

  return {
    request: async (request) => {
      const release = acquireShare(request);
      let finished: Promise<void> | undefined;
      try {
        // Before the breaker: slow clients say nothing about the service.
        const pool = poolOf(request);
        if (pool !== usual) requireFreeConnection(pool);
        // Bypasses a breaker that is not closed: all other requests would wait for the outcome of this long one.
        const bypasses = request.headersTimeoutMs !== undefined && !breaker.closed;
        const relayed = bypasses ? await send(request) : ((await breaker.fire(request)) as Relayed);
        finished = relayed.finished;
        return relayed;
      } catch (err) {
        if (isClientGone(err)) throw err;
        throw new AppError('SERVICE_UNAVAILABLE', `The ${service} service is not available right now`, {
          cause: err,
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      } finally {
        // A streamed answer begins long before the work for it ends.
        if (request.isLong && finished) void finished.then(release);
        else release();
      }
    },
  };
}

function requireFreeConnection({ stats }: Pool): void {
  if (stats.queued >= MAX_WAITING) throw new Error('too many requests are waiting for this service');
}

/** Retries a refused connection: a replica has just stopped, another may accept, and nothing has been sent yet. */
function connectWithRetry(): buildConnector.connector {
  const connectOnce = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  return (options, callback) => {
    let triesLeft = CONNECT_ATTEMPTS - 1;
    const attempt = (): void =>
      connectOnce(options, (...result) => {
        const [err] = result;
        if (codeOf(err) !== 'ECONNREFUSED' || triesLeft === 0) return callback(...result);
        triesLeft -= 1;
        realTimer(CONNECT_RETRY_MS, attempt);
      });
    attempt();
  };
}

function codeOf(err: unknown): unknown {
  return err instanceof Error && 'code' in err ? err.code : undefined;
}

/** The service closed a kept-alive connection just as it was used, or died. */
function isStaleConnection(err: unknown): boolean {
  return codeOf(err) === 'UND_ERR_SOCKET' || codeOf(err) === 'ECONNRESET';
}

function isClientGone(err: unknown): boolean {
  return err instanceof Error && err.name === 'AbortError';
}
