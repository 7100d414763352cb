import { createHash } from 'node:crypto';
import { type AnyEndpoint, CALL_TOKEN_HEADER } from '@parley/contracts';
import type { Request } from 'express';
import { parseInput } from '../errors/index.ts';
import {
  type HashedBody,
  IDEMPOTENCY_HEADER,
  type Idempotency,
  noIdempotency,
  parseIdempotencyKey,
  respondOnce,
} from '../idempotency/index.ts';
import { requireOwnAgent } from './agent-scope.ts';
import type { App } from './app.ts';
import type { Auth } from './auth.ts';
import { bodyLimitOf } from './body-limits.ts';
import type { Handler, HandlerInput, RawResponse } from './handler.ts';
import { openStreamBody } from './open-body.ts';
import { readParams, readQuery } from './read-input.ts';
import { createReadJson } from './read-json.ts';
import { contextOf } from './request-context.ts';
import { sendContent } from './send-content.ts';
import { sendFile } from './send-file.ts';
import { createRender, sendJson, sendRaw } from './send-response.ts';
import { publicShareOf, shareOf } from './share-of.ts';
import { isStreamed, renderStream, sendStream } from './stream-response.ts';

/** A body and the digest that an idempotency key compares. */
type Incoming = HashedBody & { parse(): unknown };

/**
 * Serves an endpoint of the contract. It authenticates the caller (`admitAnonymous` for `open` endpoints), parses path, `Idempotency-Key`,
 * query and body in this order, runs `handler`, validates its result by the contract and sends it in its envelope. Errors are mapped by
 * `toHttpError`. A repeated idempotency key gets the stored response [general.20].
 */
export function mount<const E extends AnyEndpoint>(app: App, endpoint: E, handler: Handler<E>): void {
  const { idempotencyStore: store } = app;
  checkMountable(endpoint, store !== undefined);
  const receive = createReceive(app, endpoint);
  const render = createRender(endpoint);
  const isRaw = endpoint.envelope === 'bare' && !endpoint.response;

  app.route(endpoint, async (req, res) => {
    const context = contextOf(req);
    if (endpoint.access === 'open') await app.admitAnonymous(req, endpoint);
    else context.auth = await app.authenticate(req, endpoint);
    const params = readParams(endpoint, req.params);
    if (context.auth?.actor.scope?.agentIds)
      await requireOwnAgent(app.agentOf, endpoint, context.auth, params);
    const key = endpoint.idempotent ? parseIdempotencyKey(req.headers[IDEMPOTENCY_HEADER]) : undefined;
    const query = readQuery(endpoint, req.query);
    const { auth, requestId } = context;
    const share = shareOfRequest(app, endpoint, req, auth);
    if (endpoint.body && !req.complete) app.beforeBody(res);
    const incoming = await receive(req, share, key !== undefined);
    const useCase = async (idempotency: Idempotency): Promise<unknown> => {
      const body = incoming.parse();
      const by = auth && { ...auth, requestId };
      const input = { params, query, body, auth, by, requestId, idempotency, req };
      // A getter: requests that don't log need no child logger.
      Object.defineProperty(input, 'log', { get: () => context.log, enumerable: true });
      return app.clientWrites.run(endpoint, share, res, async () =>
        handler(input as unknown as HandlerInput<E>),
      );
    };

    if (key !== undefined && store) {
      const scope = { ...scopeOf(req, auth), key };
      const once = { store, log: context.log, scope, body: incoming, status: endpoint.status, render };
      const response = await respondOnce(once, useCase);
      if (response.replayed) res.setHeader('idempotent-replayed', 'true');
      return sendJson(res, response.status, response.body);
    }
    const slot = app.clientReads.slotFor(endpoint, share, res);
    const value = await slot.run(async () => {
      const result = await useCase(noIdempotency);
      if (isRaw || isStreamed(endpoint, result)) return result;
      const text = render(result);
      sendJson(res, endpoint.status, text);
      await slot.untilSent(res, text.length);
      return undefined;
    });
    if (res.headersSent) return;
    if (!isRaw) return sendStream(res, endpoint.status, slot.runEach(renderStream(endpoint, value)));
    const response = value as RawResponse;
    if ('file' in response) return sendFile(res, response);
    if ('content' in response) return sendContent(req, res, response);
    sendRaw(res, endpoint.status, response, slot.runEach);
  });
}

function checkMountable(
  { id, envelope, response, idempotent, access }: AnyEndpoint,
  hasStore: boolean,
): void {
  if (idempotent && !hasStore) throw new Error(`${id} is idempotent: createApp needs an idempotencyStore`);
  if (idempotent && access === 'open')
    throw new Error(`${id} is idempotent: it needs a workspace, which open endpoints don't have`);
  if (!response && (envelope === 'data' || envelope === 'list'))
    throw new Error(`${id} needs a response schema`);
}

type Receive = (req: Request, share: string | undefined, isHashed: boolean) => Promise<Incoming>;

function createReceive({ bodyQueue }: App, endpoint: AnyEndpoint): Receive {
  const schema = endpoint.body;
  if (schema === 'stream')
    return async (req, _share, isHashed) => {
      const stream = openStreamBody(req, isHashed);
      return { ...stream, parse: () => stream.body };
    };
  const readJson = schema && createReadJson(bodyLimitOf(endpoint));
  return async (req, share, isHashed) => {
    const body = await readJson?.(req, (length, parse) => bodyQueue.run(share, length, parse));
    const { value, bytes } = body ?? { value: undefined, bytes: '' };
    const hash = isHashed ? createHash('sha256').update(bytes).digest('hex') : '';
    return {
      known: () => hash,
      whole: async () => hash,
      parse: () => (schema ? parseInput(schema, value) : undefined),
    };
  };
}

/** The share of a client's request; undefined for services, and without a valid token. */
function shareOfRequest(
  { workspaceOfCallToken }: App,
  { callToken }: AnyEndpoint,
  req: Request,
  auth: Auth | undefined,
): string | undefined {
  if (auth) return auth.actor.kind === 'service' ? undefined : shareOf(auth);
  const token = callToken ? req.get(CALL_TOKEN_HEADER) : undefined;
  const workspaceId = token === undefined ? undefined : workspaceOfCallToken(token);
  return workspaceId === undefined ? undefined : publicShareOf(workspaceId);
}

function scopeOf(
  req: Request,
  auth: Auth | undefined,
): { workspaceId: string; method: string; path: string } {
  if (!auth) throw new Error('idempotency keys need a workspace');
  const path = req.path.replace(/(.)\/$/, '$1');
  // A response to another key may concern assistants that this key may not use.
  const own = auth.actor.scope?.agentIds ? `${path} ${auth.actor.id}` : path;
  return { workspaceId: auth.workspaceId, method: req.method, path: own };
}
