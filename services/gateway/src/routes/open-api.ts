import { publicEndpoints, sentEvents } from '@parley/contracts';
import type { App } from '@parley/kit/http';
import { buildOpenApi, type OpenApiDocument } from '@parley/kit/openapi';
import { serveFile } from './serve-file.ts';
import { createStaticBody } from './static-body.ts';

const INFO = {
  title: 'Parley',
  version: '1.0',
  description: `Voice assistants that answer and place phone calls: assistants, tools, numbers, calls, campaigns, webhooks.

## Keys
Requests carry \`Authorization: Bearer <private key>\`; the key says which workspace it is about, and a resource of
another workspace is \`NOT_FOUND\`. A public key serves the browser widget alone; \`/dashboard/api/*\` takes people who are signed
in, and no key.

## Answers and errors
An answer is \`{success: true, data}\`, of a list with \`pagination\`; an error \`{success: false, error: {code, message, details?}}\`.
Branch on \`error.code\`, not on the message; a \`VALIDATION_FAILED\` names each finding in \`error.details\`. An unknown path is
404, a known one with a wrong method 405 with \`Allow\`, a body that is no JSON object 422, one over 1 MiB 413; what is no request of
HTTP/1.1 at all is 400, headers over 16 KiB 431, a request that takes too long to arrive 408, and then the connection is closed. Fields that an
endpoint doesn't know are ignored, and answers may get new fields at any time. Every answer carries \`x-request-id\`: your own,
if you sent one of 1-128 letters, digits and \`._:-\`.

## Limits
A workspace has 600 requests a minute with bursts up to 100, and 5 new calls a second with bursts up to 10, unless its
operator has set others. \`x-ratelimit-limit\`, \`x-ratelimit-remaining\` and \`x-ratelimit-reset\` (seconds) tell of them; over the
limit is \`429 RATE_LIMITED\` with \`Retry-After\`. So is the 33rd body of a workspace that is still arriving beside 32 others.

## Safe repetition
POSTs that create something honour \`Idempotency-Key\` for 24 hours: the same key with the same body returns the first answer,
byte for byte, with \`Idempotent-Replayed: true\`.

## Webhooks
What is sent to your endpoints is signed by Standard Webhooks with the secret of the workspace; \`@parley/client\` and
\`@parley/webhook-verify\` check it, and so does every library of that standard.`,
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  serverUrl: '/',
  sent: sentEvents,
};

/** The whole public API, made from the contracts that the services check themselves by. */
export function openApiDocument(): OpenApiDocument {
  return buildOpenApi(publicEndpoints, INFO);
}

/** `GET /openapi.json`. */
export function mountOpenApi(app: App): void {
  const body = createStaticBody(() => JSON.stringify(openApiDocument()));
  serveFile(app, '/openapi.json', body, { 'content-type': 'application/json; charset=utf-8' });
}
