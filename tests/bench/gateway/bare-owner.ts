import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// An upstream that does almost no work, so that only what is in front of it is compared.

const body = Buffer.from(JSON.stringify({ success: true, data: { id: 'a', text: 'x'.repeat(400) } }));
const server = createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  res.end(body);
});
// As in the services, so that an idle connection isn't closed just before its next request.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ listening: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit());
