import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ServiceName } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Metrics } from '@parley/kit/observability';
import { realTimer } from '@parley/kit/time';
import CircuitBreaker from 'opossum';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type Relayed, relay } from './relay.ts';
import { createShares } from './shares.ts';

export type UpstreamRequest = {
  method: string;
  /** Path with its query. */
  path: string;
  headers: Record<string, string | string[]>;
  body: Readable | null;
  /** Whether some of the body has yet to come from the client. */
  arriving: boolean;
  /** Who asks: a workspace, or the address of somebody without a key. */
  from: string;
  /** How long the owner may take to begin its answer, where that is longer than usual. */
  patienceMs: number | undefined;
  /** Its work takes that long, and not its body. */
  isLong: boolean;
  /** The client, who gets the answer as it comes. */
  to: ServerResponse;
};

export type Upstream = { request(request: UpstreamRequest): Promise<Relayed> };

/** A dead owner is a 503 within a second. */
const CONNECT_TIMEOUT_MS = 900;
/** Shorter than the services keep idle connections, also while they drain (STOP_DRAIN_MS), so that we close them first. */
const KEEP_ALIVE_MS = 3_000;
const CONNECT_TRIES = 3;
const CONNECT_AGAIN_MS = 50;
const RETRY_AFTER_SECONDS = 1;
/** An owner that has not begun its answer by then hangs. */
const HEADERS_TIMEOUT_MS = 30_000;
/** Requests that wait for a connection. An owner that hangs must not gather all the others behind it. */
const MOST_WAITING = 256;
const CONNECTIONS = 128;
/** Of the connections that slow clients may hold: a quarter to each, so that one alone keeps nobody else from sending. */
const MOST_HELD = CONNECTIONS / 4;
const READS = new Set(['GET', 'HEAD']);

/**
 * The way to one service: pools of connections (undici carries twice what got does here) behind a breaker.
 * A read whose connection broke is sent once more; everything else that goes wrong before the answer begins is
 * `503 SERVICE_UNAVAILABLE`, since nobody knows how far the owner came.
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
      connect: connectPatiently(),
      // The peer decides how long a body takes; whoever reads it gives up by the signal.
      bodyTimeout: 0,
    });
    lifecycle.onStop(`upstream ${service} ${kind}`, () => pool.close());
    return pool;
  };
  const usual = connectPool('usual');
  // Bodies that drip, however many, leave the connections of all others alone: JSON for half a minute, uploads for half an hour.
  const sending = connectPool('sending');
  const patient = connectPool('patient');
  const poolOf = ({ patienceMs, body }: Pick<UpstreamRequest, 'patienceMs' | 'body'>): Pool => {
    if (patienceMs !== undefined) return patient;
    return body ? sending : usual;
  };
  const heldSending = createShares(MOST_HELD);
  const heldPatient = createShares(MOST_HELD);
  /** A body that has come wholly is no slow one: it takes nothing of a share, however many there are. */
  const takeShare = (request: UpstreamRequest): (() => void) => {
    const { patienceMs, isLong, body, arriving, from } = request;
    if (isLong) return heldPatient.take(from);
    if (!body || !arriving) return () => {};
    const release = (patienceMs === undefined ? heldSending : heldPatient).take(from);
    body.once('close', release);
    return release;
  };

  const breaker = new CircuitBreaker(send, {
    name: service,
    // The request has its own deadlines.
    timeout: false,
    volumeThreshold: 20,
    errorThresholdPercentage: 50,
    resetTimeout: 1_000,
    rollingCountTimeout: 5_000,
    // Nobody reads them.
    rollingPercentilesEnabled: false,
    errorFilter: (err: unknown) => isClientGone(err),
  });
  metrics.circuitOpen.set({ peer: service }, 0);
  breaker.on('open', () => metrics.circuitOpen.set({ peer: service }, 1));
  // The next request goes out and tells: until there is one, nothing is refused.
  breaker.on('halfOpen', () => metrics.circuitOpen.set({ peer: service }, 0));
  breaker.on('close', () => metrics.circuitOpen.set({ peer: service }, 0));
  lifecycle.onStop(`breaker ${service}`, () => breaker.shutdown());

  async function send({ body, patienceMs, to, ...rest }: UpstreamRequest): Promise<Relayed> {
    const pool = poolOf({ patienceMs, body });
    if (pool === usual) requireRoom(pool);
    const headersTimeout = patienceMs ?? HEADERS_TIMEOUT_MS;
    const options = { ...rest, body, headersTimeout } as Dispatcher.DispatchOptions;
    try {
      return await relay(pool, options, to);
    } catch (err) {
      if (!READS.has(rest.method) || body !== null || !isStaleConnection(err)) throw err;
      return relay(pool, options, to);
    }
  }

  return {
    request: async (request) => {
      const release = takeShare(request);
      try {
        // That too many clients are slow doesn't mean that the owner is ill.
        const pool = poolOf(request);
        if (pool !== usual) requireRoom(pool);
        // The one request by which the breaker asks whether the owner is back must not take minutes: all others wait for it.
        if (request.patienceMs !== undefined && !breaker.closed) return await send(request);
        return (await breaker.fire(request)) as Relayed;
      } catch (err) {
        if (isClientGone(err)) throw err;
        throw new AppError('SERVICE_UNAVAILABLE', `The ${service} service is not available right now`, {
          cause: err,
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      } finally {
        release();
      }
    },
  };
}

function requireRoom({ stats }: Pool): void {
  if (stats.queued >= MOST_WAITING) throw new Error('too many requests wait for this service');
}

/** A replica that has just gone refuses the connection, and another may take it: nothing has been sent yet. */
function connectPatiently(): buildConnector.connector {
  const connectOnce = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  return (options, callback) => {
    let triesLeft = CONNECT_TRIES - 1;
    const attempt = (): void =>
      connectOnce(options, (...result) => {
        const [err] = result;
        if (codeOf(err) !== 'ECONNREFUSED' || triesLeft === 0) return callback(...result);
        triesLeft -= 1;
        realTimer(CONNECT_AGAIN_MS, attempt);
      });
    attempt();
  };
}

function codeOf(err: unknown): unknown {
  return err instanceof Error && 'code' in err ? err.code : undefined;
}

/** The owner closed the connection: a kept one at the moment at which we used it, or because it died. */
function isStaleConnection(err: unknown): boolean {
  return codeOf(err) === 'UND_ERR_SOCKET' || codeOf(err) === 'ECONNRESET';
}

function isClientGone(err: unknown): boolean {
  return err instanceof Error && err.name === 'AbortError';
}
