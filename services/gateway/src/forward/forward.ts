import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { type AnyEndpoint, CLIENT_ADDRESS_HEADER } from '@parley/contracts';
import type { KeyedLimiter } from '@parley/kit/concurrency';
import {
  type Auth,
  INTERNAL_TOKEN_HEADER,
  type InternalTokens,
  type RequestContext,
  readBytes,
  shareOf,
} from '@parley/kit/http';
import { traceHeaders } from '@parley/kit/observability';
import { networkOf } from '@parley/kit/outbound';
import type { Arrived } from '../limits/request-weight.ts';
import type { Turns } from '../turns/turns.ts';
import { type ConcurrentReads, isFile } from './concurrent-reads.ts';
import { hasBody, requestHeaders } from './headers.ts';
import { isOfVisitor, limitOf, rejectTooLarge, targetOf } from './target.ts';
import type { Upstream } from './upstream.ts';

type Deps = {
  upstream: Upstream;
  internalTokens: InternalTokens;
  concurrentReads: ConcurrentReads;
  visitorBodies: KeyedLimiter;
  turns: Pick<Turns, 'leave'>;
};
/**
 * `segments`: the values of the path's parameters. `auth` null: an open route, whose caller is known only by address, and by the link or
 * token of the route, if it has one.
 */
type Exchange = {
  req: IncomingMessage;
  res: ServerResponse;
  segments: readonly string[];
  context: RequestContext;
  auth: Auth | null;
  address?: string;
  link?: string | undefined;
  /** Called with the number of bytes received, after the end of the body. */
  charge?: (req: IncomingMessage, arrived: Arrived) => Promise<void>;
};

/** A streamed body has to arrive before the response begins: a million contacts take a while. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000;

/** Streams a request to its service and the response back, bodies unparsed, with an internal token for the caller. */
export async function forward(deps: Deps, endpoint: AnyEndpoint, exchange: Exchange): Promise<void> {
  const { req, res, segments, auth, address = '', link, charge } = exchange;
  const client = auth ? { auth } : { auth, address, link };
  const from = auth ? shareOf(auth) : networkOf(address);
  const limit = limitOf(endpoint, auth);
  rejectTooLarge(limit, req);
  const arrived = { bytes: 0, pieces: 0 };
  let release: (() => void) | undefined;
  let body: PassThrough | null = null;
  // A client may send its body, and read its response, as slowly as it likes.
  if (!req.complete) deps.turns.leave(res);
  try {
    const isVisitor = isOfVisitor(auth);
    // Bodies of visitors may arrive slowly and from many addresses: until they are complete they occupy nothing that others need.
    const collect = () => readWhole(req, limit, arrived);
    const whole = isVisitor && hasBody(req) ? await deps.visitorBodies.run(from, collect) : null;
    release = await deps.concurrentReads.acquire(endpoint, client, res);
    if (res.closed) return;
    if (!isVisitor && hasBody(req)) body = openBody(req, arrived);
    const answer = await deps.upstream.request({
      method: req.method ?? endpoint.method,
      path: targetOf(endpoint, segments, req),
      headers: requestHeaders(req.headers, internalHeaders(deps.internalTokens, endpoint, exchange)),
      body: body ?? whole,
      arriving: !req.complete,
      from,
      isAnonymous: !auth,
      isFile: isFile(endpoint),
      headersTimeoutMs: endpoint.body === 'stream' ? UPLOAD_TIMEOUT_MS : endpoint.answersWithinMs,
      isLong: endpoint.answersWithinMs !== undefined,
      to: res,
    });
    deps.turns.leave(res);
    await answer.finished;
  } catch (err) {
    // A client that disconnected is not a failure; the access log records it.
    if (!res.destroyed) throw err;
  } finally {
    release?.();
    if (body) drain(req, body);
    if (arrived.pieces > 0) await charge?.(req, arrived);
  }
}

function openBody(req: IncomingMessage, arrived: Arrived): PassThrough {
  count(req, arrived);
  return req.pipe(new PassThrough());
}

function readWhole(req: IncomingMessage, limit: number, arrived: Arrived): Promise<Buffer> {
  count(req, arrived);
  return readBytes(req, limit);
}

function count(req: IncomingMessage, arrived: Arrived): void {
  req.on('data', (chunk: Buffer) => {
    arrived.bytes += chunk.length;
    arrived.pieces += 1;
  });
}

/** A service may answer before it has read everything: the rest is discarded, so that the connection stays usable. */
function drain(req: IncomingMessage, body: PassThrough): void {
  req.unpipe(body);
  body.destroy();
  req.resume();
}

function internalHeaders(
  tokens: InternalTokens,
  { service }: AnyEndpoint,
  { context, auth, address = '' }: Exchange,
): Record<string, string> {
  const traced = { ...traceHeaders(), 'x-request-id': context.requestId };
  if (!auth) return { ...traced, [CLIENT_ADDRESS_HEADER]: address };
  return { ...traced, [INTERNAL_TOKEN_HEADER]: tokens.mint(service, auth) };
}
