import { describe, expect, it } from '@jest/globals';
import { allEndpoints, defineEndpoint, OPEN_ENUM, publicEndpoints } from '@parley/contracts';
import { z } from 'zod';
import { buildOpenApi } from './build-open-api.ts';

const info = { title: 'Parley', version: '1.0', serverUrl: 'http://127.0.0.1:8080' };
const base = { service: 'telephony', tag: 'Things', summary: 'A thing', errors: ['NOT_FOUND'] } as const;

const create = defineEndpoint({
  ...base,
  id: 'createThing',
  method: 'POST',
  path: '/v1/thing/:id/part',
  access: 'private',
  params: z.object({ id: z.guid() }),
  query: z.object({ size: z.coerce.number().default(5).describe('How many') }),
  body: z.object({ name: z.string(), tags: z.array(z.string()).default([]) }),
  status: 201,
  envelope: 'list',
  response: z.object({ id: z.string() }).meta({ id: 'Part' }),
  idempotent: true,
  errorMessage401: true,
});

type Operation = {
  parameters: { name: string; in: string; required: boolean; description?: string }[];
  requestBody: { content: Record<string, { schema: { required: string[] } }> };
  responses: Record<
    string,
    {
      description: string;
      headers?: Record<string, { $ref: string }>;
      content?: Record<string, { schema: Record<string, unknown> }>;
    }
  >;
  security?: unknown;
};

describe('buildOpenApi', () => {
  const document = buildOpenApi([create], info);
  const operation = document.paths['/v1/thing/{id}/part']?.post as unknown as Operation;

  it('describes parameters and security', () => {
    expect(operation.parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['id', 'path', true],
      ['size', 'query', false],
      ['Idempotency-Key', 'header', false],
    ]);
  });

  it('describes requests: fields with defaults are optional', () => {
    expect(operation.requestBody.content['application/json']?.schema.required).toEqual(['name']);
  });

  it('describes streamed bodies', () => {
    const { body: _, ...rest } = create;
    const streamed = z.object({ lines: z.array(z.string()) });
    const { paths } = buildOpenApi([defineEndpoint({ ...rest, body: 'stream', streamed })], info);
    expect(paths['/v1/thing/{id}/part']?.post?.requestBody).toMatchObject({
      content: { 'application/json': { schema: { required: ['lines'] } } },
    });
  });

  it('wraps the response and refers to components', () => {
    const schema = operation.responses['201']?.content?.['application/json']?.schema;
    expect(schema?.required).toEqual(['success', 'data', 'pagination']);
    expect(JSON.stringify(schema)).toContain('"#/components/schemas/Part"');
    expect(document.components.schemas.Part).toMatchObject({ type: 'object' });
  });

  it('allows additional fields in responses, and keeps the types of maps', () => {
    const response = z.object({
      part: z.object({ names: z.record(z.string(), z.int()) }),
      masks: z.custom().meta({ type: 'object', additionalProperties: { const: '********' } }),
    });
    const { paths } = buildOpenApi([defineEndpoint({ ...create, envelope: 'bare', response })], info);
    const told = paths['/v1/thing/{id}/part']?.post as Operation | undefined;
    const schema = told?.responses['201']?.content?.['application/json']?.schema as { properties: object };
    expect(schema).not.toHaveProperty('additionalProperties');
    expect(schema.properties).toMatchObject({
      part: { properties: { names: { additionalProperties: { type: 'integer' } } } },
      masks: { additionalProperties: { const: '********' } },
    });
    expect(schema.properties).not.toHaveProperty('part.additionalProperties');
  });

  it('describes every error by its status, and both shapes of a 401', () => {
    const { responses } = operation;
    expect(Object.keys(responses)).toEqual([
      '201',
      '401',
      '404',
      '408',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
    expect(responses['422']?.description).toMatch(/^`VALIDATION_FAILED`: .+\n\n`IDEMPOTENCY_KEY_REUSED`: /);
    expect(responses['401']?.content?.['application/json']?.schema).toHaveProperty('anyOf');
  });

  it('describes the headers of each response', () => {
    const names = (status: number) => Object.keys(operation.responses[status]?.headers ?? {});
    const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-policy'];
    expect(names(201)).toEqual(['x-request-id', ...limits, 'Idempotent-Replayed']);
    expect(names(401)).toEqual(['x-request-id']);
    expect(names(404)).toEqual(['x-request-id', ...limits]);
    expect(names(429)).toEqual(['x-request-id', ...limits, 'Retry-After']);
    const told = Object.values(operation.responses[429]?.headers ?? {});
    for (const { $ref } of told)
      expect(document.components.headers).toHaveProperty([$ref.split('/').at(-1) ?? '']);
  });

  it('describes cookies, at the status that sets them', () => {
    const { paths } = buildOpenApi([defineEndpoint({ ...create, cookies: { 201: 'The session' } })], info);
    const own = paths['/v1/thing/{id}/part']?.post as Operation | undefined;
    expect(own?.responses[201]?.headers?.['Set-Cookie']).toMatchObject({ description: 'The session' });
    expect(own?.responses[401]?.headers).not.toHaveProperty('Set-Cookie');
  });

  it('allows any string for an enum that may get more values', () => {
    const reason = z.enum(['left', 'busy']).meta(OPEN_ENUM);
    const response = z.object({ told: reason.describe('Why'), last: reason.nullable() });
    const { paths } = buildOpenApi([defineEndpoint({ ...create, envelope: 'bare', response })], info);
    const own = paths['/v1/thing/{id}/part']?.post as Operation | undefined;
    const anyOf = [{ type: 'string', enum: ['left', 'busy'] }, { type: 'string' }];
    expect(own?.responses[201]?.content?.['application/json']?.schema.properties).toEqual({
      told: { description: 'Why', anyOf },
      last: { anyOf: [{ anyOf }, { type: 'null' }] },
    });
  });

  it("describes requests to clients' endpoints, and their signatures", () => {
    const body = z.object({ event: z.literal('done') }).meta({ id: 'DoneEvent' });
    const event = { name: 'done', tag: 'Webhooks', summary: 'Done', description: 'It is', body } as const;
    const { webhooks, components } = buildOpenApi([], {
      ...info,
      sent: [{ ...event, countsAttempts: true }],
    });
    const { done } = webhooks as unknown as { done: { post: Operation } };
    const { parameters, requestBody } = done.post;
    expect(parameters.map(({ name }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'user-agent',
      'x-webhook-attempt',
    ]);
    expect(requestBody.content['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/DoneEvent',
    });
    expect(components.schemas).toHaveProperty('DoneEvent.properties.event');
  });

  it('omits internal endpoints', () => {
    const internal = defineEndpoint({ ...create, access: 'internal' });
    expect(buildOpenApi([internal], info).paths).toEqual({});
  });

  it('documents the whole platform', () => {
    const whole = buildOpenApi(allEndpoints, info);
    const ids = Object.values(whole.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(publicEndpoints.map(({ id }) => id).sort());
    const text = JSON.stringify(whole);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(whole.components.schemas).toHaveProperty([String(name)]);
    }
    expect(text).not.toContain('"$defs":');
    expect(text).not.toContain('"additionalProperties":false');
  });

  // Inside a component, openapi-typescript makes a key with a default required, and turns `anyOf: [{required: …}]` into unknown.
  it('lets generated clients omit fields with defaults, and type the bodies', () => {
    const { paths, components } = buildOpenApi(allEndpoints, info);
    const bodies = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ requestBody }) => JSON.stringify(requestBody ?? {})),
    );
    const sent = bodies.flatMap((body) =>
      [...body.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => String(name)),
    );
    expect([...new Set(sent)].sort()).toEqual(['AssistantConfigInput', 'AssistantConfigPatch', 'CallData']);
    for (const name of sent) expect(JSON.stringify(components.schemas[name])).not.toContain('"default":');
    for (const body of bodies) {
      expect(body).not.toMatch(/"anyOf":\[\{"required"/);
      expect(requiredWithDefault(JSON.parse(body))).toEqual([]);
    }
  });

  it('distinguishes the sent from the returned configuration', () => {
    const { schemas } = buildOpenApi(allEndpoints, info).components;
    const { AssistantConfig: whole, AssistantConfigInput: sent, AssistantConfigPatch: patch } = schemas;
    expect(sent?.required ?? patch?.required).toBeUndefined();
    const keys = Object.keys((whole?.properties ?? {}) as object);
    // A transcriber has no default: responses contain it only if it was set.
    const always = keys.filter((key) => key !== 'transcriber');
    expect(whole?.required).toEqual(expect.arrayContaining(always));
    const entry = 'properties.nativeTools.anyOf.0.properties.send_sms.anyOf';
    for (const schema of [sent, patch]) {
      const { properties } = schema as { properties: Record<string, { anyOf: unknown[] }> };
      expect(Object.keys(properties)).toEqual(keys);
      for (const { anyOf } of Object.values(properties)) expect(anyOf).toContainEqual({ type: 'null' });
      expect(schema).toHaveProperty(`${entry}.1`, { type: 'null' });
      expect(schema).toHaveProperty(`${entry}.0.properties.enabled.anyOf.1`, { type: 'null' });
      expect(schema).toHaveProperty(`${entry}.0.properties.smsStaticMessage.type`, 'string');
    }
  });
});

/** Names of keys, anywhere in a schema, that are required although they have a default. */
function requiredWithDefault(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { required, properties } = schema as { required?: unknown; properties?: Record<string, object> };
  const own = (Array.isArray(required) ? required : []).filter(
    (name) => 'default' in (properties?.[name] ?? {}),
  );
  return [...own, ...Object.values(schema).flatMap(requiredWithDefault)];
}
