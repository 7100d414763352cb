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
      ...securityOf(access),
      parameters: parametersOf(endpoint, schemas),
      ...bodyOf(endpoint, schemas),
      responses: { [endpoint.status]: success(endpoint, schemas), ...errorResponses(endpoint) },
    };
  };
}

function securityOf(access: AnyEndpoint['access']): JsonSchema {
  if (access === 'open') return { security: [] };
  if (access === 'session') return { security: [{ session: [] }] };
  return access === 'widget' ? { security: [{ publicKey: [] }, { apiKey: [] }] } : {};
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Repeating a request with the same key and body within 24 hours returns the first answer with ' +
    '`Idempotent-Replayed: true` and creates nothing',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_:.-]{1,255}$', maxLength: 255, examples: ['order-4711'] },
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

function bodyOf({ body, streamed, example }: AnyEndpoint, schemas: Schemas): JsonSchema {
  if (body === undefined) return {};
  const told = body === 'stream' ? streamed : body;
  const schema = told ? schemas.of(told, 'input') : { type: 'object' };
  const shown = example === undefined ? {} : { example };
  return { requestBody: { required: true, content: { 'application/json': { schema, ...shown } } } };
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
    success: { type: 'boolean', const: true, description: 'Tells an answer from an error' },
    data:
      envelope === 'list'
        ? { type: 'array', items: schema, description: 'The items of this page' }
        : described(schema),
  };
  const pagination = { $ref: '#/components/schemas/Pagination' };
  const properties = envelope === 'list' ? { ...whole, pagination } : whole;
  return { type: 'object', properties, required: Object.keys(properties) };
}

function described(schema: JsonSchema): JsonSchema {
  return '$ref' in schema || 'description' in schema
    ? schema
    : { ...schema, description: 'What was asked for' };
}
