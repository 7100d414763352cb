import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AnyEndpoint } from '@parley/contracts';
import type { Express, Request, Response, Router } from 'express';
import type { AppError } from '../errors/index.ts';
import type { IdempotencyStore } from '../idempotency/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import type { Auth } from './auth.ts';
import type { InternalTokens } from './internal-tokens.ts';
import type { RouteTable } from './route-table.ts';

/** Says who asks, or throws (`UNAUTHORIZED`, `FORBIDDEN`, ...). Not asked for `open` endpoints. */
export type Authenticate = (req: IncomingMessage, endpoint: AnyEndpoint) => Auth | Promise<Auth>;

export type AppOptions = {
  service: string;
  log: Log;
  metrics: Metrics;
  /** Rejects while something that requests need is away. Given 2 s. */
  readiness: () => Promise<void>;
  /** Rejects when the process makes no progress any more and should be restarted. */
  liveness?: () => Promise<void>;
  /** Needed where an endpoint is idempotent (D1.7). */
  idempotencyStore?: IdempotencyStore;
  /** False on a port that the world reaches: `/readyz` and `/metrics` are not served there. */
  probes?: boolean;
  /** Of every answer, unless it says otherwise itself. */
  headers?: Readonly<Record<string, string>>;
} & (
  | {
      internalTokens: InternalTokens;
    }
  | {
      /** The gateway's own doors, where no internal token has been minted yet. */
      authenticate: Authenticate;
    }
);

/** An endpoint that is mounted. */
export type MountedRoute = {
  endpoint: AnyEndpoint;
  run(req: Request, res: Response, segments: string[]): Promise<void>;
  /** The same for requests for which Node's own objects are enough: what Express makes of them costs as much as forwarding them. */
  bare?: BareRun;
};

export type BareRun = {
  takes(req: IncomingMessage): boolean;
  run(req: IncomingMessage, res: ServerResponse, segments: string[]): Promise<void>;
};

/**
 * Answers what Node couldn't read as a request, or what did not come in time, and closes the connection. `begun`: the answer
 * that is under way on it, which has the id and the headers of its request; once its head is sent, nothing may follow it.
 */
export type RefuseUnreadable = (err: Error, socket: Duplex, begun: ServerResponse | undefined) => void;

/** What `createApp` makes: `mount` adds endpoints, `listen` serves it. */
export type App = {
  /** Answers a request: a route that takes it bare, else Express. */
  listener: RequestListener;
  /** Answers a request with an error before any route sees it, and closes its connection. */
  refuse(req: IncomingMessage, res: ServerResponse, err: AppError): void;
  refuseUnreadable: RefuseUnreadable;
  /** For `supertest` and for whatever the contract does not describe; middleware added here runs after everything. */
  express: Express;
  /** Handlers for paths that no endpoint claims (files, forwarding), before 404 and 405 are answered. */
  router: Router;
  routes: RouteTable<MountedRoute>;
  authenticate: Authenticate;
  idempotencyStore: IdempotencyStore | undefined;
  /** Makes `/readyz` say 503 from now on, so that no new requests are sent here. */
  markStopping(): void;
};
