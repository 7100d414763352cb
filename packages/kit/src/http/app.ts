import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AnyEndpoint } from '@parley/contracts';
import type { Express, Router } from 'express';
import type { AppError } from '../errors/index.ts';
import type { IdempotencyStore } from '../idempotency/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import type { AgentOf } from './agent-scope.ts';
import type { Auth } from './auth.ts';
import type { BodyQueue } from './body-queue.ts';
import type { ClientReads, ReadLimits } from './client-reads.ts';
import type { ClientWrites } from './client-writes.ts';
import type { HandleRequest } from './endpoint-router.ts';
import type { InternalTokens } from './internal-tokens.ts';
import type { NoteClosed } from './note-closed.ts';

/** Authenticates a request, or throws (`UNAUTHORIZED`, `FORBIDDEN`, ...). Not called for `open` endpoints. */
export type Authenticate = (req: IncomingMessage, endpoint: AnyEndpoint) => Auth | Promise<Auth>;

/** Limits requests to `open` endpoints, or throws (`RATE_LIMITED`, `FORBIDDEN`). */
type AdmitAnonymous = (req: IncomingMessage, endpoint: AnyEndpoint) => void | Promise<void>;

/** Called before the rest of a body is awaited, which its client may send slowly. */
type BeforeBody = (res: ServerResponse) => void;

type WorkspaceOfCallToken = (token: string) => string | undefined;

export type AppOptions = {
  service: string;
  log: Log;
  metrics: Metrics;
  /** Rejects while a dependency is unavailable; has 2 s. */
  readiness: () => Promise<void>;
  /** Needed if an endpoint is idempotent. */
  idempotencyStore?: IdempotencyStore;
  /** Needed if a path names a resource of an assistant, for keys that are limited to assistants. */
  agentOf?: AgentOf;
  /** False on a public port: no `/readyz` and `/metrics`. */
  probes?: boolean;
  /** Limits of clients' reads and changes; none by default. */
  reads?: ReadLimits;
  /** Called for `open` endpoints before their body is read. */
  admitAnonymous?: AdmitAnonymous;
  beforeBody?: BeforeBody;
  /** The workspace of a web call's token, for the limits of endpoints with `callToken`; undefined: the token is not valid. */
  workspaceOfCallToken?: WorkspaceOfCallToken;
  /** Whether a request continues the trace of its headers; else a new trace links to it. By default always. */
  continuesTrace?: (req: IncomingMessage) => boolean;
  /** Headers of every response, unless it sets them itself. */
  headers?: Readonly<Record<string, string>>;
  /** Further headers of responses to requests that could not be parsed. */
  malformedHeaders?: Readonly<Record<string, string>>;
} & (
  | {
      internalTokens: InternalTokens;
    }
  | {
      /** For the gateway, which authenticates clients. */
      authenticate: Authenticate;
    }
);

/**
 * Responds to a request that Node could not parse, or that was too slow, and closes the connection. `current`: the response that has
 * begun on it; nothing may be written after its headers.
 */
export type RejectMalformed = (err: Error, socket: Duplex, current: ServerResponse | undefined) => void;

/** `mount` adds endpoints, `listen` serves it. */
export type App = {
  /** Handles a request with Express; a service may first handle some requests with `serve` (ADR 29). */
  listener: RequestListener;
  /**
   * Opens the context of a request that is handled later: its duration counts from now, and it is logged even if its client disconnects
   * first. The other methods do so if it has not been done.
   */
  begin(req: IncomingMessage, res: ServerResponse): void;
  /** Runs a route without Express, with the context, headers, log line, metrics, span and errors of every route. */
  serve(
    req: IncomingMessage,
    res: ServerResponse,
    route: { endpoint: AnyEndpoint; segments: readonly string[] },
    run: () => Promise<void>,
  ): void;
  /** Responds with an error before any route is tried, and closes the connection unless it `keepsOpen`. */
  reject(req: IncomingMessage, res: ServerResponse, err: AppError, options?: { keepsOpen?: boolean }): void;
  rejectMalformed: RejectMalformed;
  noteClosed: NoteClosed;
  /** For its settings and for `supertest`; middleware added here runs last. */
  express: Express;
  /** Handlers for paths without an endpoint (files, forwarding), before the 404 and 405. */
  router: Router;
  /** Adds an endpoint whose handler does everything itself; `mount` is the usual way. */
  route(endpoint: AnyEndpoint, handle: HandleRequest): void;
  authenticate: Authenticate;
  admitAnonymous: AdmitAnonymous;
  beforeBody: BeforeBody;
  workspaceOfCallToken: WorkspaceOfCallToken;
  idempotencyStore: IdempotencyStore | undefined;
  agentOf: AgentOf | undefined;
  clientReads: ClientReads;
  clientWrites: ClientWrites;
  bodyQueue: BodyQueue;
  /** From now on `/readyz` responds with 503, so that load balancers send no more requests. */
  markStopping(): void;
};
