import type { AnyEndpoint } from '@parley/contracts';
import type { ZodType } from 'zod';
import { errorResponses } from './error-responses.ts';
import type { Examples, JsonSchema } from './json-schema.ts';
import { responseHeaders } from './response-headers.ts';
import type { Schemas } from './schemas.ts';
import { PAGINATION_EXAMPLE } from './standard-schemas.ts';

/** Creates the operation object of an endpoint. */
export function createOperations(
  schemas: Schemas,
  examples: Examples,
): (endpoint: AnyEndpoint) => JsonSchema {
  return (endpoint) => {
    const { id, tag, summary, description } = endpoint;
    return {
      operationId: id,
      tags: [tag],
      summary,
      ...(description ? { description } : {}),
      ...(endpoint.legacy ? { deprecated: true } : {}),
      ...securityOf(endpoint),
      parameters: parametersOf(endpoint, schemas),
      ...bodyOf(endpoint, schemas),
      responses: {
        [endpoint.status]: success(endpoint, schemas, examples.get(id)),
        ...otherResponses(endpoint),
        ...errorResponses(endpoint),
      },
    };
  };
}

function securityOf({ access, callToken, method }: AnyEndpoint): JsonSchema {
  if (access === 'open') return { security: callToken ? [{ callToken: [] }] : [] };
  if (access === 'session')
    return { security: [method === 'GET' ? { session: [] } : { session: [], csrfToken: [] }] };
  return access === 'widget' ? { security: [{ publicKey: [] }, { apiKey: [] }] } : {};
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Repeating a request with the same key and body within 24 hours returns the first response with ' +
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

function bodyOf({ body, streamed, readsOnly, example }: AnyEndpoint, schemas: Schemas): JsonSchema {
  if (body === undefined) return {};
  const described = body === 'stream' ? streamed : body;
  const schema = described ? schemas.of(described, 'input') : { type: 'object' };
  const shown = example === undefined ? {} : { example };
  const required = !readsOnly || body === 'stream' || !body.safeParse({}).success;
  return { requestBody: { required, content: { 'application/json': { schema, ...shown } } } };
}

function success(endpoint: AnyEndpoint, schemas: Schemas, example: unknown): JsonSchema {
  const { envelope, response, status } = endpoint;
  const description = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No content', 302: 'Redirect' }[
    status
  ];
  const answer = { description, headers: responseHeaders(endpoint, status) };
  if (envelope === 'none' || status === 302) return answer;
  if (!response) return { ...answer, content: fileOf(endpoint) };
  const schema = wrap(envelope, schemas.of(response, 'output'));
  const shown = example === undefined ? {} : { example: wrapExample(envelope, example) };
  return { ...answer, content: { 'application/json': { schema, ...shown } } };
}

function wrapExample(envelope: 'data' | 'list' | 'bare', example: unknown): unknown {
  if (envelope === 'bare') return example;
  if (envelope === 'data') return { success: true, data: example };
  return { success: true, data: [example], pagination: PAGINATION_EXAMPLE };
}

/** Statuses without an error code, such as those of range requests. */
function otherResponses(endpoint: AnyEndpoint): JsonSchema {
  const statuses = Object.entries(endpoint.otherStatuses ?? {});
  return Object.fromEntries(
    statuses.map(([status, description]) => {
      const content = Number(status) < 300 ? { content: fileOf(endpoint) } : {};
      return [status, { description, headers: responseHeaders(endpoint, Number(status)), ...content }];
    }),
  );
}

function fileOf({ mediaType = '*/*' }: AnyEndpoint): JsonSchema {
  return { [mediaType]: { schema: { type: 'string', contentMediaType: mediaType } } };
}

function wrap(envelope: 'data' | 'list' | 'bare', schema: JsonSchema): JsonSchema {
  if (envelope === 'bare') return schema;
  const whole = {
    success: { type: 'boolean', const: true, description: 'True for success, false for errors' },
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
  return '$ref' in schema || 'description' in schema ? schema : { ...schema, description: 'The result' };
}
