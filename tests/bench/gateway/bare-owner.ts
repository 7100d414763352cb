import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// An owner that costs next to nothing, so that what stands before it is compared, and not what is behind it.

const body = Buffer.from(JSON.stringify({ success: true, data: { id: 'a', text: 'x'.repeat(400) } }));
const server = createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  res.end(body);
});
// As long as the services: a connection that waits for its turn isn't closed under the next request.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ listening: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit());
