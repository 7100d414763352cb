import { publicEndpoints } from '@parley/contracts';
import type { App } from '@parley/kit/http';
import { buildOpenApi } from '@parley/kit/openapi';

const INFO = {
  title: 'Parley',
  version: '1.0',
  description: `Voice assistants that answer and place phone calls: assistants, tools, numbers, calls, campaigns, webhooks.

Every request carries \`Authorization: Bearer <private key>\`; the key says which workspace it is about, and a resource of
another workspace is \`NOT_FOUND\`. Branch on \`error.code\`, not on the message; a \`VALIDATION_FAILED\` names each finding in
\`error.details\`. An unknown path is 404, a known one with a wrong method 405 with \`Allow\`, a body that is no JSON object 422,
one over 1 MiB 413. Fields that an endpoint doesn't know are ignored.`,
  serverUrl: '/',
};

/** `GET /openapi.json`: the whole public API, made from the contracts that the services check themselves by. */
export function mountOpenApi(app: App): void {
  let document: string | undefined;
  app.router.get('/openapi.json', (_req, res) => {
    document ??= JSON.stringify(buildOpenApi(publicEndpoints, INFO));
    res.type('application/json').send(document);
  });
}
