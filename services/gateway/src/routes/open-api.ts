import { publicEndpoints } from '@parley/contracts';
import type { App } from '@parley/kit/http';
import { buildOpenApi } from '@parley/kit/openapi';

const INFO = {
  title: 'Parley',
  version: '1.0',
  description:
    'Voice assistants that answer and place phone calls: assistants, tools, numbers, calls, campaigns, webhooks.',
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
