import type { AnyEndpoint } from '@parley/contracts';
import { HEADER_COMPONENTS } from './answer-headers.ts';
import { createOperations } from './operation.ts';
import { createSchemas, type JsonSchema } from './schemas.ts';

export type OpenApiInfo = { title: string; version: string; description?: string; serverUrl: string };

/** An OpenAPI 3.1 document; plain JSON. */
export type OpenApiDocument = {
  openapi: '3.1.0';
  info: { title: string; version: string; description?: string };
  servers: { url: string }[];
  tags: { name: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, JsonSchema>>;
  components: Record<'schemas' | 'headers' | 'securitySchemes', Record<string, JsonSchema>>;
};

/** The document of the public API: every endpoint but the internal ones, as the contract has it. */
export function buildOpenApi(endpoints: readonly AnyEndpoint[], info: OpenApiInfo): OpenApiDocument {
  const { serverUrl, ...rest } = info;
  const schemas = createSchemas();
  const operationOf = createOperations(schemas);
  const paths: OpenApiDocument['paths'] = {};
  const tags = new Set<string>();
  for (const endpoint of endpoints) {
    if (endpoint.access === 'internal') continue;
    tags.add(endpoint.tag);
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: rest,
    servers: [{ url: serverUrl }],
    tags: [...tags].map((name) => ({ name })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: schemas.components,
      headers: HEADER_COMPONENTS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the workspace: `svc_…`' },
      },
    },
  };
}
