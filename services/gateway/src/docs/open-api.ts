import { examples, publicEndpoints, sentEvents } from '@parley/contracts';
import type { App } from '@parley/kit/http';
import { buildOpenApi, type OpenApiDocument } from '@parley/kit/openapi';
import { createStaticBody, serveFile } from './serve-static.ts';

const INFO = {
  title: 'Parley',
  version: '1.0',
  description: `Voice assistants that answer and place phone calls: assistants, tools, phone numbers, calls, campaigns and webhooks.

## Authentication
Send \`Authorization: Bearer <private key>\`. The key determines the workspace; resources of other workspaces are
\`NOT_FOUND\`. Public keys are for the browser widget only. Routes under \`/dashboard/api\` accept sessions of signed-in people
only. Keys are created in the dashboard or by the operator.

## Responses and errors
Responses are \`{success: true, data}\`, lists also have \`pagination\`; errors are \`{success: false, error: {code, message, details?}}\`.
Branch on \`error.code\`, not on the message; \`error.details\` lists every error of a \`VALIDATION_FAILED\`. Unknown fields in
requests are ignored, and responses may get new fields at any time. Every response has \`x-request-id\`: your own, if you send one
of 1-128 letters, digits and \`._:-\`.

An unknown path returns 404, an unsupported method 405 with \`Allow\`. A body that is not a JSON object, or has more than 50,000
values or 64 levels, returns 422; a body over 1 MiB (16 KiB without credentials) 413, one that is compressed or not UTF-8 415. Malformed HTTP
returns 400, headers over 16 KiB 431, and a request that takes too long to arrive 408; these close the connection.

## Pages
Lists that are read with POST take \`page\` and \`size\`; lists that are read with GET take \`limit\` and \`offset\`. In both,
\`pagination.next_cursor\` is the next \`page\` or \`offset\` as a string, and null on the last page.

## Limits
By default a workspace has 600 requests per minute with bursts of 100, and 5 new calls per second with bursts of 10.
\`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and \`x-ratelimit-reset\` (seconds) show the state; over the limit requests return
\`429 RATE_LIMITED\` with \`Retry-After\`. A request counts as one, plus one for each 64 KiB of its body. Uploads of campaign
contacts have their own limit of 256 MiB per minute with bursts of 1 GiB; an upload of any size is accepted while that limit is
not overdrawn. Per workspace 16 reads run concurrently and more are queued; at most 8 concurrent downloads and 32
concurrent uploads are accepted, and further ones return 429.

## Idempotency
POST requests that create something accept \`Idempotency-Key\` for 24 hours: the same key with the same body returns the first
response, byte for byte, with \`Idempotent-Replayed: true\`.

## Webhooks
Requests to your endpoints are signed according to Standard Webhooks, with the secret of the workspace (\`whsec_…\`, shown once
when it is created or rotated) or of the assistant or tool. Verify them with \`@parley/client\`, \`@parley/webhook-verify\` or any
library for Standard Webhooks. \`POST /v1/webhook-endpoint/test\` sends \`{event: "test", call_id: null, …}\`, signed in the same way.`,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  sent: sentEvents,
  examples,
};

/** The public API, generated from the contracts. */
export function openApiDocument(publicUrl?: string): OpenApiDocument {
  return buildOpenApi(publicEndpoints, { ...INFO, serverUrl: publicUrl ?? '/' });
}

/** `GET /openapi.json`. */
export function mountOpenApi(app: App, publicUrl: string | undefined): void {
  const body = createStaticBody(() => JSON.stringify(openApiDocument(publicUrl)));
  serveFile(app, '/openapi.json', body, { 'content-type': 'application/json; charset=utf-8' });
}
