import type { IncomingMessage } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { newId } from '../ids/index.ts';
import type { Log } from '../log/index.ts';
import { monotonicMs } from '../time/index.ts';
import type { Auth } from './auth.ts';

/** What is known about a request while it is handled, for its log lines and metrics. */
export type RequestContext = {
  readonly requestId: string;
  readonly startedMs: number;
  /** Carries `requestId` and, once known, `workspaceId`. Made on first use: most requests never log. */
  readonly log: Log;
  /** The pattern of the route (`/v2/call/:id`), never the path itself: it labels metrics. */
  route?: string;
  endpoint?: AnyEndpoint;
  /** The endpoints of the path, if none of them has the method. */
  samePath?: readonly Pick<AnyEndpoint, 'method' | 'legacy'>[];
  /** The resources that the path names, and the trace, by the names of log fields. */
  ids?: Record<string, string>;
  auth?: Auth;
  /** A probe: logged at level debug and not counted as a request. */
  quiet?: boolean;
  /** The request names a trace of a client, which ours links to instead of continuing it. */
  isTraceForeign?: boolean;
  /** Its response could not be sent to its end. */
  isAborted?: boolean;
  /** The code of an error response. */
  errorCode?: string;
};

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const CONTEXT = Symbol('context');
type Known = IncomingMessage & { [CONTEXT]?: RequestContext };

/** Creates the context of a request. Its id is the client's `x-request-id` if that is well-formed [general.12]. */
export function openContext(req: IncomingMessage, log: Log): RequestContext {
  const sent = req.headers['x-request-id'];
  let child: { of: Auth | undefined; log: Log } | undefined;
  const context: RequestContext = {
    requestId: typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : newId(),
    startedMs: monotonicMs(),
    get log() {
      if (!child || child.of !== context.auth) {
        const workspaceId = context.auth?.workspaceId;
        const { requestId, ids } = context;
        child = {
          of: context.auth,
          log: log.child({ requestId, ...(workspaceId ? { workspaceId } : {}), ...ids }),
        };
      }
      return child.log;
    },
  };
  (req as Known)[CONTEXT] = context;
  return context;
}

/** Whether `createApp` has seen the request. */
export function hasContext(req: IncomingMessage): boolean {
  return (req as Known)[CONTEXT] !== undefined;
}

/** The context of a request that `createApp` has seen. */
export function contextOf(req: IncomingMessage): RequestContext {
  const context = (req as Known)[CONTEXT];
  if (!context) throw new Error('contextOf: the request did not pass through createApp');
  return context;
}
