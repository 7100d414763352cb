import { type AnyEndpoint, type SentEvent, TAGS } from '@parley/contracts';
import { HEADER_COMPONENTS } from './answer-headers.ts';
import { createOperations } from './operation.ts';
import { createSchemas, type JsonSchema } from './schemas.ts';
import { sentWebhooks } from './sent-webhooks.ts';
import { ERROR_EXAMPLES } from './standard-schemas.ts';

export type OpenApiInfo = {
  title: string;
  version: string;
  description?: string;
  license?: { name: string; identifier: string };
  serverUrl: string;
  /** What is sent to clients' endpoints. */
  sent?: readonly SentEvent[];
};

/** An OpenAPI 3.1 document; plain JSON. */
export type OpenApiDocument = {
  openapi: '3.1.0';
  info: Omit<OpenApiInfo, 'serverUrl' | 'sent'>;
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
    description:
      'A public key of the workspace, which pages may show: `svc_pub_…`. For the browser widget alone',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley_session',
    description:
      'A person who is signed in; called `__Host-parley_session` behind https. Whatever is no GET also carries ' +
      '`x-csrf-token`. It counts wherever a private key does, but for `POST /widget/call`',
  },
};

/** The document of the public API: every endpoint but the internal ones, as the contract has it. */
export function buildOpenApi(endpoints: readonly AnyEndpoint[], info: OpenApiInfo): OpenApiDocument {
  const { serverUrl, sent = [], ...rest } = info;
  const schemas = createSchemas();
  const operationOf = createOperations(schemas);
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
    servers: [{ url: serverUrl, description: 'Where this document comes from' }],
    tags: tagsOf(used),
    security: [{ apiKey: [] }],
    paths,
    webhooks: sentWebhooks(sent, schemas),
    components: {
      schemas: schemas.components,
      headers: HEADER_COMPONENTS,
      examples: { ...ERROR_EXAMPLES },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** In the order of `TAGS`, then what that doesn't know. */
function tagsOf(used: ReadonlySet<string>): OpenApiDocument['tags'] {
  const known = Object.keys(TAGS).filter((name) => used.has(name));
  const others = [...used].filter((name) => !Object.hasOwn(TAGS, name));
  return [
    ...known.map((name) => ({ name, description: String(TAGS[name]) })),
    ...others.map((name) => ({ name })),
  ];
}
