import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import got from 'got';
import { duties } from './express-duties.ts';

// What somebody writes in ten minutes: an Express app that forwards with got, on kept connections. It checks no key, has no
// limits and writes no log, unless it is told to do those duties as well. Its arguments: where to, the header that the service
// behind it wants to see, and "bare" or "duties"; the header's value comes as messages, since it is good for a minute.

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
