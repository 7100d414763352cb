import type { ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { ZodObject } from 'zod';
import { createKeyedLimiter } from '../concurrency/index.ts';
import { asClientRead, isStatementTimeout, readConnectionsOf } from '../db/index.ts';
import { AppError } from '../errors/index.ts';
import type { Metrics } from '../observability/index.ts';
import { monotonicMs, realTimer } from '../time/index.ts';
import { goneSignal } from './client-gone.ts';

/*
 * Reads of clients use database connections of their own (`createPrismaAdapter`). One workspace gets a third of them, and its public keys
 * another third [trust.8]; further reads queue. Statements over the time limit are cancelled. Reads of services are not limited.
 */

export type ReadLimits = {
  /** The connections that all client reads of this process share. */
  connections: number;
  /** The connections for everything else, including clients' changes. */
  otherConnections: number;
  /** The limit of one statement, and of the time that a read waits in the queue. */
  timeoutMs: number;
};

/** The limits from a service's configuration. */
export function readLimitsOf(config: { DATABASE_POOL: number; READ_TIMEOUT_MS: number }): ReadLimits {
  return {
    connections: readConnectionsOf(config.DATABASE_POOL),
    otherConnections: config.DATABASE_POOL,
    timeoutMs: config.READ_TIMEOUT_MS,
  };
}

type ReadSlot = {
  /**
   * Runs `work` when the workspace has a free slot. If it was slow and other reads of the workspace wait, the slot rests first, so that
   * many slow reads of one workspace leave CPU time to others, in this process and in the database.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The same for a result that is read while it is sent: each piece acquires its own slot, without a time limit. */
  runEach<T>(pieces: AsyncIterable<T>): AsyncGenerator<T>;
  /** Waits until a large response has been sent. Call it within `run`, so that few large responses of a workspace are in memory. */
  untilSent(res: ServerResponse, characters: number): Promise<void>;
};

export type ClientReads = {
  /** `share`: the key of the share that the read uses; undefined: it is not limited. */
  slotFor(endpoint: AnyEndpoint, share: string | undefined, res: ServerResponse): ReadSlot;
};

const SHARES = 3;
/** Each gateway lets 16 reads of a workspace through at once. */
const MAX_QUEUED = 1_000;
const LARGE_CHARACTERS = 1024 ** 2;
const RETRY_AFTER_SECONDS = 5;
/** A slot rests this many times as long as a piece of a streamed response took, and as long as a slow read took. */
const REST_OF_PIECE = 3;
const REST_OF_SLOW_READ = 1;
const SLOW_MS = 50;
const MAX_REST_MS = 250;

const UNLIMITED: ReadSlot = {
  run: (work) => work(),
  runEach: async function* (pieces) {
    yield* pieces;
  },
  untilSent: async () => {},
};

export function createClientReads(limits: ReadLimits | undefined, metrics: Metrics): ClientReads {
  if (!limits) return { slotFor: () => UNLIMITED };
  const { connections, timeoutMs } = limits;
  const limiter = createKeyedLimiter({ concurrency: Math.ceil(connections / SHARES), maxQueued: MAX_QUEUED });
  const rejected = metrics.counter(
    'parley_client_reads_refused_total',
    'Rejected reads of clients: `share` waited too long for other reads of their workspace, `timeout` were cancelled',
    ['reason'],
  );

  const toTimeoutError = (err: unknown, endpoint: AnyEndpoint): unknown => {
    if (!isStatementTimeout(err)) return err;
    rejected.inc({ reason: 'timeout' });
    return tookTooLong(endpoint, timeoutMs, err);
  };

  const slotFor: ClientReads['slotFor'] = (endpoint, share, res) => {
    if (share === undefined || !isRead(endpoint)) return UNLIMITED;
    const inSlot = async <T>(
      work: () => Promise<T>,
      signal: AbortSignal,
      restOf: (tookMs: number) => number,
    ): Promise<T> => {
      const release = await limiter.acquire(share, signal);
      const startedMs = monotonicMs();
      try {
        return await asClientRead(work);
      } catch (err) {
        throw toTimeoutError(err, endpoint);
      } finally {
        const restMs = limiter.waiting(share) > 0 ? restOf(monotonicMs() - startedMs) : 0;
        if (restMs === 0) release();
        else realTimer(Math.min(restMs, MAX_REST_MS), release);
      }
    };
    const gone = goneSignal(res);
    return {
      run: async (work) => {
        const late = AbortSignal.timeout(timeoutMs);
        return inSlot(work, AbortSignal.any([gone, late]), restOfRead).catch((err: unknown) => {
          if (err !== late.reason) throw err;
          rejected.inc({ reason: 'share' });
          throw waitedTooLong();
        });
      },
      runEach: async function* (pieces) {
        const iterator = pieces[Symbol.asyncIterator]();
        try {
          for (;;) {
            const { done, value } = await inSlot(() => iterator.next(), gone, restOfPiece);
            if (done) return;
            yield value;
          }
        } finally {
          await iterator.return?.();
        }
      },
      untilSent: (response, characters) => {
        if (characters < LARGE_CHARACTERS || response.closed) return Promise.resolve();
        return new Promise((resolve) => response.once('close', resolve));
      },
    };
  };
  return { slotFor };
}

const restOfRead = (tookMs: number): number => (tookMs > SLOW_MS ? REST_OF_SLOW_READ * tookMs : 0);
const restOfPiece = (tookMs: number): number => REST_OF_PIECE * tookMs;

/** Internal endpoints don't count: they serve other services, even if a client's request causes the call. */
export function isRead({ method, readsOnly, access }: AnyEndpoint): boolean {
  return access !== 'internal' && (method === 'GET' || readsOnly === true);
}

function waitedTooLong(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'Too many concurrent reads of this workspace; retry after the delay in Retry-After',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

const PAGING = new Set(['page', 'size', 'limit', 'offset']);

function tookTooLong({ query, body }: AnyEndpoint, timeoutMs: number, cause: unknown): AppError {
  const filters = [query, body].flatMap((schema) =>
    schema instanceof ZodObject ? Object.keys(schema.shape).filter((name) => !PAGING.has(name)) : [],
  );
  const advice = filters.length > 0 ? `narrow it by ${filters.join(', ')}` : 'try again later';
  return new AppError(
    'SERVICE_UNAVAILABLE',
    `The read took longer than ${timeoutMs / 1000} seconds and was cancelled: ${advice}`,
    { cause, retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
