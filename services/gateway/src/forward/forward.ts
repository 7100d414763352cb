import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { AnyEndpoint } from '@parley/contracts';
import { type Auth, INTERNAL_TOKEN_HEADER, type InternalTokens, type RequestContext } from '@parley/kit/http';
import { traceHeaders } from '@parley/kit/observability';
import { refuseAnnouncedExcess } from './body-limit.ts';
import { requestHeaders } from './headers.ts';
import { targetOf } from './target-of.ts';
import type { Upstream } from './upstream.ts';

type Deps = { upstream: Upstream; internalTokens: InternalTokens };
/**
 * `segments`: what stands for the parameters of the path. `auth` null: whoever asks needs no key, and is known by the address
 * alone.
 */
type Exchange = {
  req: IncomingMessage;
  res: ServerResponse;
  segments: readonly string[];
  context: RequestContext;
  auth: Auth | null;
  address?: string;
};

/** A streamed body has to arrive before the answer begins: a million contacts take a while. */
const UPLOAD_PATIENCE_MS = 30 * 60_000;

/** Streams a request to its owner and the answer back, bodies unparsed, vouching for who asks. */
export async function forward(deps: Deps, endpoint: AnyEndpoint, exchange: Exchange): Promise<void> {
  const { req, res, segments, context, auth, address = '' } = exchange;
  refuseAnnouncedExcess(endpoint, req);
  const body = hasBody(req) ? req.pipe(new PassThrough()) : null;
  try {
    const answer = await deps.upstream.request({
      method: req.method ?? endpoint.method,
      path: targetOf(endpoint, segments, req.url ?? ''),
      headers: requestHeaders(req.headers, vouch(deps.internalTokens, context, auth)),
      body,
      arriving: !req.complete,
      from: auth?.workspaceId ?? address,
      patienceMs: endpoint.body === 'stream' ? UPLOAD_PATIENCE_MS : endpoint.answersWithinMs,
      isLong: endpoint.answersWithinMs !== undefined,
      to: res,
    });
    await answer.finished;
  } catch (err) {
    // A client that went away is no failure: the access log tells of it, and nobody waits for an answer.
    if (!res.destroyed) throw err;
  } finally {
    if (body) letGo(req, body);
  }
}

/** An owner may answer before it has read everything: the rest is read to nowhere, or the connection's next request never comes. */
function letGo(req: IncomingMessage, body: PassThrough): void {
  req.unpipe(body);
  body.destroy();
  req.resume();
}

function vouch(
  tokens: InternalTokens,
  { requestId }: RequestContext,
  auth: Auth | null,
): Record<string, string> {
  const traced = { ...traceHeaders(), 'x-request-id': requestId };
  return auth ? { ...traced, [INTERNAL_TOKEN_HEADER]: tokens.mint({ ...auth, requestId }) } : traced;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
