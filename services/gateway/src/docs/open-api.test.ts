import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AnyEndpoint,
  ERROR_STATUS,
  examples,
  publicEndpoints,
  sentEvents,
  TAGS,
} from '@parley/contracts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { z } from 'zod';
import { openApiDocument } from './open-api.ts';

type Schema = Record<string, unknown>;
type Operation = {
  operationId: string;
  description?: string;
  parameters: { name: string; description?: string }[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};

const document = openApiDocument();
const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(
  (path) => Object.values(path) as Operation[],
);

describe('the OpenAPI document', () => {
  let problems: { ruleId: string; message: string; at: string | undefined }[] = [];

  beforeAll(async () => {
    // The operations of single sign-on only redirect.
    const rules = { 'operation-2xx-response': 'off' } as const;
    const config = await createConfig({ extends: ['recommended'], rules });
    const found = await lintFromString({ source: JSON.stringify(document), config });
    problems = found.map(({ ruleId, message, location }) => ({
      ruleId,
      message,
      at: location[0]?.pointer,
    }));
  });

  it('is valid for redocly with its recommended rules: no error and no warning', () => {
    expect(problems).toEqual([]);
  });

  it('describes every public route and every event that is sent', () => {
    const described = operations.map(({ operationId }) => operationId).sort();
    const there = [...publicEndpoints.map(({ id }) => id), ...sentEvents.map(({ name }) => name)];
    expect(described).toEqual(there.sort());
  });

  it('describes every operation, parameter and field of every request and response', () => {
    expect(operations.flatMap(undescribed)).toEqual([]);
  });

  it('describes every group', () => {
    expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(TAGS));
  });

  it('has a response for every code that an endpoint lists', () => {
    for (const { id, errors } of publicEndpoints) {
      const operation = operations.find(({ operationId }) => operationId === id);
      const statuses = errors.map((code) => String(ERROR_STATUS[code]));
      expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(statuses));
    }
  });

  const withBody = publicEndpoints.filter(({ body }) => body !== undefined);

  it.each(withBody.map(({ id }) => id))('shows a body that %s accepts', (id) => {
    const { body, streamed, example } = withBody.find((endpoint) => endpoint.id === id) as AnyEndpoint;
    const schema = body === 'stream' ? streamed : body;
    expect(schema?.safeParse(example)).toMatchObject({ success: true });
    // What isn't read is no example.
    const known = z.toJSONSchema(schema ?? z.unknown(), { io: 'input', unrepresentable: 'any' });
    if (!known.properties || known.additionalProperties) return;
    expect(Object.keys(known.properties)).toEqual(expect.arrayContaining(Object.keys(example as object)));
  });
});

describe('examples', () => {
  it.each(publicEndpoints.filter(({ response }) => response))(
    'shows a successful response of $id',
    ({ id, response, status }) => {
      expect(response?.safeParse(examples.get(id)).error).toBeUndefined();
      const { responses } = operations.find(({ operationId }) => operationId === id) as Operation;
      expect(responses[status]?.content?.['application/json']).toHaveProperty('example');
    },
  );

  it.each(sentEvents)('shows the request of $name', ({ name, body }) => {
    expect(body.safeParse(examples.get(name)).error).toBeUndefined();
    const { requestBody } = operations.find(({ operationId }) => operationId === name) as Operation;
    expect(requestBody?.content['application/json']).toHaveProperty('example.event', name);
  });
});

/** Places of an operation without a description. */
function undescribed({ operationId, description, parameters, requestBody, responses }: Operation): string[] {
  const schemas = [requestBody, ...Object.values(responses)].flatMap((part) =>
    Object.values(part?.content ?? {}).map(({ schema }) => schema ?? {}),
  );
  return [
    ...(description ? [] : [operationId]),
    ...parameters.filter((it) => !it.description).map(({ name }) => `${operationId} ${name}`),
    ...schemas.flatMap((schema) => undescribedFields(schema, operationId, new Set())),
  ];
}

function undescribedFields(schema: Schema, at: string, seen: ReadonlySet<string>): string[] {
  const { $ref, properties, items, anyOf, oneOf } = schema as {
    $ref?: string;
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
    oneOf?: Schema[];
  };
  if ($ref !== undefined) {
    const name = String($ref.split('/').at(-1));
    if (seen.has(name)) return [];
    return undescribedFields(
      document.components.schemas[name] ?? {},
      `${at} ${name}`,
      new Set([...seen, name]),
    );
  }
  const own = Object.entries(properties ?? {}).flatMap(([name, field]) => [
    ...('description' in field || '$ref' in field ? [] : [`${at}.${name}`]),
    ...undescribedFields(field, `${at}.${name}`, seen),
  ]);
  const inner = [...(anyOf ?? []), ...(oneOf ?? []), ...(items ? [items] : [])];
  return [...own, ...inner.flatMap((it) => undescribedFields(it, at, seen))];
}
