import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { Pool } from 'undici';
import { relay } from '../src/forward/relay.ts';

const STALL_MS = 300;
const ANSWER = Buffer.alloc(32 * 1024 * 1024, 'x');
let owner: Server;
let door: Server;
let pool: Pool;

async function serve(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  owner = await serve((_req, res) => res.end(ANSWER));
  pool = new Pool(`http://127.0.0.1:${portOf(owner)}`, { connections: 1 });
  door = await serve((_req, res) => void relay(pool, { method: 'GET', path: '/' }, res, STALL_MS));
});

afterAll(async () => {
  await pool.destroy();
  for (const server of [door, owner]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

function ask(): Socket {
  const socket = connect(portOf(door), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return socket;
}

it('a client that takes nothing of its answer any more does not keep the connection to the owner from others', async () => {
  const stalled = ask().pause();
  await eventually(() => expect(pool.stats.running).toBe(1));
  let bytes = 0;
  const next = ask().on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await new Promise((resolve) => next.once('close', resolve));
  expect(bytes).toBeGreaterThan(ANSWER.length);
  stalled.destroy();
}, 10_000);
