import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { limitPipelining } from './limit-pipelining.ts';

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

it('requests beyond the limit close their connection, with all that came in their packet, and later ones are served [trust.1]', async () => {
  const hasRoom = limitPipelining((remote) => void closed.push(remote), 3);
  const closed: unknown[] = [];
  let requests = 0;
  const served: ServerResponse[] = [];
  server = createServer((_req, res) => {
    requests += 1;
    if (hasRoom(res)) served.push(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pipeline = (count: number): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
    return socket;
  };
  const first = pipeline(4);
  await eventually(() => expect(served).toHaveLength(4));
  await once(pipeline(10).resume(), 'close');
  expect([served.length, requests, closed]).toEqual([5, 6, ['127.0.0.1']]);
  pipeline(1);
  await eventually(() => expect(served).toHaveLength(6));
  for (const res of served.splice(0, 4)) res.end();
  await once(first, 'data');
  pipeline(4);
  await eventually(() => expect(served).toHaveLength(6));
});
