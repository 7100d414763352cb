import type { AnyEndpoint } from '@parley/contracts';
import type { ZodType } from 'zod';
import { answerHeaders } from './answer-headers.ts';
import { errorResponses } from './error-responses.ts';
import type { JsonSchema, Schemas } from './schemas.ts';

/** Makes the operation object of an endpoint. */
export function createOperations(schemas: Schemas): (endpoint: AnyEndpoint) => JsonSchema {
  return (endpoint) => {
    const { id, tag, summary, description, access } = endpoint;
    return {
      operationId: id,
      tags: [tag],
      summary,
      ...(description ? { description } : {}),
      ...(access === 'open' ? { security: [] } : {}),
      parameters: parametersOf(endpoint, schemas),
      ...bodyOf(endpoint, schemas),
      responses: { [endpoint.status]: success(endpoint, schemas), ...errorResponses(endpoint) },
    };
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Repeating a request with the same key and body within 24 hours returns the first answer with ' +
    '`Idempotent-Replayed: true` and creates nothing',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_:.-]{1,255}$' },
};

function parametersOf({ params, query, idempotent }: AnyEndpoint, schemas: Schemas): JsonSchema[] {
  return [
    ...fields(params, 'path', schemas),
    ...fields(query, 'query', schemas),
    ...(idempotent ? [IDEMPOTENCY_KEY] : []),
  ];
}

function fields(schema: ZodType | undefined, place: 'path' | 'query', schemas: Schemas): JsonSchema[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...own }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description ? { description } : {}),
    schema: own,
  }));
}

function bodyOf({ body, streamed }: AnyEndpoint, schemas: Schemas): JsonSchema {
  if (body === undefined) return {};
  const told = body === 'stream' ? streamed : body;
  const schema = told ? schemas.of(told, 'input') : { type: 'object' };
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

function success(endpoint: AnyEndpoint, schemas: Schemas): JsonSchema {
  const { envelope, response, status } = endpoint;
  const description = { 200: 'Done', 201: 'Created', 202: 'Accepted', 204: 'Done, without a body' }[status];
  const answer = { description, headers: answerHeaders(endpoint, status) };
  if (envelope === 'none') return answer;
  if (!response) return { ...answer, content: { '*/*': {} } };
  const schema = wrap(envelope, schemas.of(response, 'output'));
  return { ...answer, content: { 'application/json': { schema } } };
}

function wrap(envelope: 'data' | 'list' | 'bare', schema: JsonSchema): JsonSchema {
  if (envelope === 'bare') return schema;
  const whole = {
    success: { const: true },
    data: envelope === 'list' ? { type: 'array', items: schema } : schema,
  };
  const properties = envelope === 'list' ? { ...whole, pagination: PAGINATION } : whole;
  return { type: 'object', properties, required: Object.keys(properties) };
}

const PAGINATION = {
  type: 'object',
  properties: {
    total: { type: 'integer', description: 'All matches' },
    count: { type: 'integer', description: 'Items of this page' },
    next_cursor: { type: ['string', 'null'], description: 'Null at the end' },
  },
  required: ['total', 'count', 'next_cursor'],
};
