import { defineEndpoint } from '@parley/contracts';
import { internalTokens } from '@parley/testkit';
import { z } from 'zod';
import { type App, type AppOptions, createApp, type InternalClaims } from '../src/http/index.ts';
import { createLogger } from '../src/log/index.ts';
import { createMetrics } from '../src/observability/index.ts';

export const SECRET = 'a secret that only this test knows';
export const WORKSPACE = '0190b1b0-0000-7000-8000-0000000000aa';
export const ID = '0190b1b0-0000-7000-8000-000000000001';

/** Of the service that `bootApp` serves, and of the one that forwards clients' requests to it. */
const tokens = internalTokens(SECRET, 'telephony');
export const gatewayTokens = internalTokens(SECRET, 'gateway');

/** The header of a request that came through the gateway. */
export function as(kind: InternalClaims['actor']['kind'], workspaceId = WORKSPACE): Record<string, string> {
  return { 'x-parley-internal': gatewayTokens.mint('telephony', { workspaceId, actor: { kind, id: ID } }) };
}

export type LogLine = Record<string, unknown> & { msg: string; level: string };

/** An app whose log lines can be read. */
export function bootApp(options: Partial<AppOptions> = {}): { app: App; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) };
  const app = createApp({
    service: 'telephony',
    log: createLogger({ service: 'test', level: 'info', destination }),
    metrics: createMetrics('test'),
    readiness: async () => {},
    internalTokens: tokens,
    ...options,
  } as AppOptions);
  return { app, lines };
}

const route = { service: 'telephony', tag: 'Things', summary: 'A thing', errors: [] } as const;

export const thing = z.object({ id: z.string(), name: z.string() });

export const createThing = defineEndpoint({
  ...route,
  id: 'createThing',
  method: 'POST',
  path: '/v1/thing',
  access: 'private',
  body: z.object({ name: z.string().min(1).max(50), extra: z.unknown().optional() }),
  status: 201,
  envelope: 'data',
  response: thing,
});

export const createThingOnce = defineEndpoint({ ...createThing, id: 'createThingOnce', idempotent: true });

export const getThing = defineEndpoint({
  ...route,
  id: 'getThing',
  method: 'GET',
  path: '/v1/thing/:id',
  access: 'private',
  params: z.object({ id: z.guid() }),
  query: z.object({
    size: z.coerce.number().int().min(1).max(10).default(5),
    search: z.string().min(1).optional(),
  }),
  status: 200,
  envelope: 'data',
  response: z.object({ id: z.string(), size: z.number(), search: z.string().optional() }),
});

export const listThings = defineEndpoint({
  ...route,
  id: 'listThings',
  method: 'POST',
  path: '/v1/thing/list',
  access: 'private',
  readsOnly: true,
  body: z.object({}),
  status: 200,
  envelope: 'list',
  response: thing,
});

export const deleteThing = defineEndpoint({
  ...route,
  id: 'deleteThing',
  method: 'DELETE',
  path: '/v1/thing/:id',
  access: 'private',
  params: z.object({ id: z.guid() }),
  status: 204,
  envelope: 'none',
});

export const legacyThings = defineEndpoint({
  ...route,
  id: 'legacyThings',
  method: 'GET',
  path: '/things',
  access: 'private',
  status: 200,
  envelope: 'bare',
  response: z.array(thing),
  legacy: true,
});

export const uploadThings = defineEndpoint({
  ...route,
  id: 'uploadThings',
  method: 'POST',
  path: '/v1/thing/upload',
  access: 'private',
  body: 'stream',
  status: 201,
  envelope: 'data',
  response: z.object({ bytes: z.number() }),
  idempotent: true,
});
