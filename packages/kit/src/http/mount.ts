import { createHash } from 'node:crypto';
import type { AnyEndpoint } from '@parley/contracts';
import type { Request, Response } from 'express';
import { parseInput } from '../errors/index.ts';
import {
  answerOnce,
  type HashedBody,
  IDEMPOTENCY_HEADER,
  type Idempotency,
  noIdempotency,
  parseIdempotencyKey,
} from '../idempotency/index.ts';
import { createRender, sendJson, sendRaw } from './answer.ts';
import type { App } from './app.ts';
import type { Auth } from './auth.ts';
import { JSON_LIMIT_BYTES } from './body-limits.ts';
import type { Handler, HandlerInput, RawAnswer } from './handler.ts';
import { parseJsonObject, readBody } from './read-body.ts';
import { createReadParams, readQuery } from './read-input.ts';
import { contextOf } from './request-context.ts';
import { sendFile } from './send-file.ts';
import { openStreamBody } from './stream-body.ts';

/** A body and what its idempotency key would be compared by. */
type Incoming = HashedBody & { parse(): unknown };

/**
 * Serves an endpoint of the contract. In this order: who asks, path, `Idempotency-Key`, query, body; then `handler`;
 * then its answer is checked by the contract, wrapped and sent. Whatever is thrown is answered by `toHttpError`.
 * A request that repeats a key is answered without `handler` (D1.7).
 */
export function mount<const E extends AnyEndpoint>(app: App, endpoint: E, handler: Handler<E>): void {
  const { idempotencyStore: store } = app;
  checkMountable(endpoint, store !== undefined);
  const readParams = createReadParams(endpoint);
  const render = createRender(endpoint);
  const isRaw = endpoint.envelope === 'bare' && !endpoint.response;

  const run = async (req: Request, res: Response, segments: string[]): Promise<void> => {
    const context = contextOf(req);
    if (endpoint.access !== 'open') context.auth = await app.authenticate(req, endpoint);
    const params = readParams(segments);
    const key = endpoint.idempotent ? parseIdempotencyKey(req.headers[IDEMPOTENCY_HEADER]) : undefined;
    const query = readQuery(endpoint, req.url);
    const incoming = await receive(endpoint, req, key !== undefined);
    const { auth, requestId } = context;
    const useCase = async (idempotency: Idempotency): Promise<unknown> => {
      const body = incoming.parse();
      const input = { params, query, body, auth, requestId, idempotency, req };
      // The log is a getter, so that requests that never log never make a child.
      Object.defineProperty(input, 'log', { get: () => context.log, enumerable: true });
      return handler(input as unknown as HandlerInput<E>);
    };

    if (key !== undefined && store) {
      const scope = { ...scopeOf(req, auth), key };
      const once = { store, log: context.log, scope, body: incoming, status: endpoint.status, render };
      const answer = await answerOnce(once, useCase);
      if (answer.replayed) res.setHeader('idempotent-replayed', 'true');
      return sendJson(res, answer.status, answer.body);
    }
    const value = await useCase(noIdempotency);
    if (isRaw) {
      const answer = value as RawAnswer;
      return 'file' in answer ? sendFile(res, answer) : sendRaw(res, endpoint.status, answer);
    }
    sendJson(res, endpoint.status, render(value));
  };

  app.routes.add(endpoint.method, endpoint.path, { endpoint, run });
}

function checkMountable(
  { id, envelope, response, idempotent, access }: AnyEndpoint,
  hasStore: boolean,
): void {
  if (idempotent && !hasStore) throw new Error(`${id} is idempotent: createApp needs an idempotencyStore`);
  if (idempotent && access === 'open') throw new Error(`${id} is idempotent: its keys need a workspace`);
  if (!response && (envelope === 'data' || envelope === 'list'))
    throw new Error(`${id} needs a response schema`);
}

async function receive(endpoint: AnyEndpoint, req: Request, withHash: boolean): Promise<Incoming> {
  const schema = endpoint.body;
  if (schema === 'stream') {
    const stream = openStreamBody(req, withHash);
    return { ...stream, parse: () => stream.body };
  }
  const bytes = schema ? await readBody(req, JSON_LIMIT_BYTES) : Buffer.alloc(0);
  const json = schema ? parseJsonObject(bytes) : undefined;
  const hash = withHash ? createHash('sha256').update(bytes).digest('hex') : '';
  return {
    known: () => hash,
    whole: async () => hash,
    parse: () => (schema ? parseInput(schema, json) : undefined),
  };
}

function scopeOf(
  req: Request,
  auth: Auth | undefined,
): { workspaceId: string; method: string; path: string } {
  if (!auth) throw new Error('an idempotency key without a workspace');
  return { workspaceId: auth.workspaceId, method: req.method, path: req.path.replace(/(.)\/$/, '$1') };
}
