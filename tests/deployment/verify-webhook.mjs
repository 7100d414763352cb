// Places a call on a platform at http://127.0.0.1:8080 whose webhooks go to this machine, and verifies a signature of each. Needs nothing but Node:
//   node verify-webhook.mjs '{"private_key": "…", "webhook_secret": "…"}'     (what `parley workspace create` prints)
// RECEIVER_HOST: the name of this machine in the containers.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const API = 'http://127.0.0.1:8080';
const HOST = process.env.RECEIVER_HOST ?? 'host.docker.internal';
const READY_WITHIN_MS = 300_000;
const EVENTS_WITHIN_MS = 180_000;
const EVENTS = ['call_started', 'call_ended', 'call_analyzed'];

const { private_key: key, webhook_secret: secret } = JSON.parse(process.argv[2] ?? '{}');
if (!key || !secret)
  throw new Error('expected the output of `parley workspace create` as the first argument');

/** Standard Webhooks: HMAC of id, time and body. */
function isSigned(headers, body) {
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const hmac = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(text)
    .digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => Buffer.from(signature.replace('v1,', ''), 'base64'))
    .some((given) => given.length === hmac.length && timingSafeEqual(given, hmac));
}

async function api(method, path, body) {
  const response = await fetch(API + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text).data;
}

async function until(what, withinMs, attempt) {
  const untilMs = Date.now() + withinMs;
  for (let last = 'never tried'; ; await new Promise((resolve) => setTimeout(resolve, 1_000))) {
    try {
      return await attempt();
    } catch (error) {
      last = error;
    }
    if (Date.now() > untilMs) throw new Error(`${what}: not within ${withinMs / 1_000} s: ${last}`);
  }
}

const received = [];
const server = createServer(async (req, res) => {
  const parts = [];
  for await (const part of req) parts.push(part);
  received.push({ headers: req.headers, body: Buffer.concat(parts).toString() });
  res.end();
});
await new Promise((resolve) => server.listen(0, '0.0.0.0', resolve));

const config = {
  firstMessage: 'Hello.',
  settings: { webhookUrl: `http://${HOST}:${server.address().port}/hook`, recording: { enabled: false } },
};
// Services that have just started may refuse the first requests.
const { id: agent } = await until('the platform', READY_WITHIN_MS, () =>
  api('POST', '/v1/assistant', { agent_name: 'Ada', config }),
);
const from_number = `+1202555${randomInt(1_000, 10_000)}`;
const number = {
  phone_number: from_number,
  termination_uri: 'sip.example.com',
  outbound_agent_id: agent,
};
await until('a number', READY_WITHIN_MS, () => api('POST', '/v1/phone-number/sip', number));
const { id: call } = await until('a call', READY_WITHIN_MS, () =>
  api('POST', '/v2/call', { from_number, to_number: '+12125554321' }),
);
await until('webhooks of the call', EVENTS_WITHIN_MS, () => {
  const events = received.map(({ body }) => JSON.parse(body)).filter(({ call_id }) => call_id === call);
  const missing = EVENTS.filter((name) => !events.some(({ event }) => event === name));
  if (missing.length > 0) throw new Error(`missing ${missing.join(', ')}`);
});
const forged = received.filter(({ headers, body }) => !isSigned(headers, body));
if (forged.length > 0)
  throw new Error(`${forged.length} of ${received.length} webhooks have an invalid signature`);
console.log(`call ${call}: ${received.length} webhooks arrived on this machine, all signed`);
server.close();
server.closeAllConnections();
