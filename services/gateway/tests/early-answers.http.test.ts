import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { bootGateway, type Gateway } from './harness.ts';

let gateway: Gateway;
let owner: Server;

beforeAll(async () => {
  // Responds before it has read any of the body.
  owner = createServer(
    (_req, res) => void res.writeHead(422, { 'content-type': 'application/json' }).end('{}'),
  );
  await new Promise<void>((resolve) => owner.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(owner.address() as AddressInfo).port}`;
  gateway = await bootGateway({ ASSISTANTS_URL: url, CAMPAIGNS_URL: url });
});

afterAll(async () => {
  await gateway.stop();
  owner.closeAllConnections();
  await new Promise((resolve) => owner.close(resolve));
});

describe('a service that answers before the body has arrived', () => {
  it.each(['/v1/assistant', '/v1/campaigns'])('%s: the connection serves the next request', async (path) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    const length = 160_000;
    const key = gateway.workspace.private_key;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n`,
    );
    socket.write('x'.repeat(1_000));
    await eventually(() => expect(received).toContain('HTTP/1.1 422'));
    await sleep(50);
    socket.write('x'.repeat(length - 1_000));
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(received).toContain('HTTP/1.1 200'));
    socket.destroy();
  });
});
