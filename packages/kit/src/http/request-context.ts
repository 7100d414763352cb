import type { IncomingMessage } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { newId } from '../ids/index.ts';
import type { Log } from '../log/index.ts';
import { monotonicMs } from '../time/index.ts';
import type { Auth } from './auth.ts';

/** What is known about a request while it is answered; the access log tells of it at the end. */
export type RequestContext = {
  readonly requestId: string;
  readonly startedMs: number;
  /** Carries `requestId` and, once known, `workspaceId`. Made on first use: most requests never log. */
  readonly log: Log;
  /** The pattern of the route (`/v2/call/:id`), never the path itself: it labels metrics. */
  route?: string;
  endpoint?: AnyEndpoint;
  /** The resources that the path names, and the trace, by the names of log fields. */
  ids?: Record<string, string>;
  auth?: Auth;
  /** Probes come every few seconds: their lines are for debugging alone, and they count as no requests. */
  quiet?: boolean;
  /** The code of an error answer. */
  errorCode?: string;
};

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const CONTEXT = Symbol('context');
type Known = IncomingMessage & { [CONTEXT]?: RequestContext };

/** Opens the context of a request: its id is the client's own, if that is sane (D1.6). */
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

/** The context of a request that `createApp` has seen. */
export function contextOf(req: IncomingMessage): RequestContext {
  const context = (req as Known)[CONTEXT];
  if (!context) throw new Error('the request did not pass through createApp');
  return context;
}
