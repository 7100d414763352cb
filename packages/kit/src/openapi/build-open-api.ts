import { type AnyEndpoint, CALL_TOKEN_HEADER, type SentEvent, TAGS } from '@parley/contracts';
import type { Examples, JsonSchema } from './json-schema.ts';
import { createOperations } from './operation.ts';
import { HEADER_COMPONENTS } from './response-headers.ts';
import { createSchemas } from './schemas.ts';
import { ERROR_EXAMPLES } from './standard-schemas.ts';
import { sentWebhooks } from './webhooks.ts';

export type OpenApiInfo = {
  title: string;
  version: string;
  description?: string;
  license?: { name: string; identifier: string };
  serverUrl: string;
  /** Requests to clients' endpoints. */
  sent?: readonly SentEvent[];
  examples?: Examples;
};

/** An OpenAPI 3.1 document; plain JSON. */
export type OpenApiDocument = {
  openapi: '3.1.0';
  info: Omit<OpenApiInfo, 'serverUrl' | 'sent' | 'examples'>;
  servers: { url: string; description: string }[];
  tags: { name: string; description?: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, JsonSchema>>;
  webhooks: Record<string, JsonSchema>;
  components: Record<'schemas' | 'headers' | 'examples' | 'securitySchemes', Record<string, JsonSchema>>;
};

const SECURITY_SCHEMES = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'A private key of the workspace: `svc_…`' },
  publicKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A public key of the workspace, for use in pages: `svc_pub_…`. Browser widget only',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley_session',
    description:
      'A signed-in person; named `__Host-parley_session` over HTTPS. Accepted wherever a private key is, except by ' +
      '`POST /widget/call`; requests other than GET also need `x-csrf-token`',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-csrf-token',
    description: '`csrf_token` of the session',
  },
  callToken: {
    type: 'apiKey',
    in: 'header',
    name: CALL_TOKEN_HEADER,
    description: '`access_token` of a web call',
  },
};

/** The document of the public API: all endpoints except internal ones. */
export function buildOpenApi(endpoints: readonly AnyEndpoint[], info: OpenApiInfo): OpenApiDocument {
  const { serverUrl, sent = [], examples = new Map(), ...rest } = info;
  const schemas = createSchemas();
  const operationOf = createOperations(schemas, examples);
  const paths: OpenApiDocument['paths'] = {};
  const used = new Set<string>();
  for (const endpoint of endpoints) {
    if (endpoint.access === 'internal') continue;
    used.add(endpoint.tag);
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: rest,
    servers: [{ url: serverUrl, description: 'The server of this document' }],
    tags: tagsOf(used),
    security: [{ apiKey: [] }],
    paths,
    webhooks: sentWebhooks(sent, schemas, examples),
    components: {
      schemas: schemas.components,
      headers: HEADER_COMPONENTS,
      examples: { ...ERROR_EXAMPLES },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** In the order of `TAGS`, then unknown ones. */
function tagsOf(used: ReadonlySet<string>): OpenApiDocument['tags'] {
  const known = Object.keys(TAGS).filter((name) => used.has(name));
  const others = [...used].filter((name) => !Object.hasOwn(TAGS, name));
  return [
    ...known.map((name) => ({ name, description: String(TAGS[name]) })),
    ...others.map((name) => ({ name })),
  ];
}
