import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import got from 'got';
import { duties } from './express-duties.ts';

// The simplest proxy: an Express app that forwards with got over kept-alive connections, by default without authentication,
// limits and logs. Arguments: URL of the upstream, name of the header with the internal token, and "bare" or "duties" (with
// authentication, limit and log). The parent sends the value of the header, which expires after a minute.

const [target = '', name = '', kind = 'bare'] = process.argv.slice(2);
let value = '';
process.on('message', (token: string) => {
  value = token;
});
const app = express().disable('x-powered-by').disable('etag');
const client = got.extend({
  prefixUrl: target,
  agent: { http: new Agent({ keepAlive: true, maxSockets: 128 }) },
  throwHttpErrors: false,
  followRedirect: false,
  decompress: false,
  retry: { limit: 0 },
});

if (kind === 'duties') app.use(duties(process.env));
app.get('/{*path}', async (req, res) => {
  const answer = await client(req.url.slice(1), { headers: { [name]: value }, responseType: 'buffer' });
  res.status(answer.statusCode).type(answer.headers['content-type'] ?? 'application/json');
  res.end(answer.body);
});

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ listening: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit());
