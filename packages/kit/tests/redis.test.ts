import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isConnectivityError } from '../src/errors/index.ts';
import { newId } from '../src/ids/index.ts';
import { createLifecycle, type Lifecycle } from '../src/lifecycle/index.ts';
import { createLogger } from '../src/log/index.ts';
import { connectRedis } from '../src/redis/index.ts';

const redisUrl = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
let lifecycle: Lifecycle;

/** A proxy in front of Redis that can refuse connections (`down`) or drop all data (`mute`). */
async function createDoor() {
  const sockets = new Set<Socket>();
  const state = { down: false, mute: false };
  const server = createServer((inside) => {
    if (state.down) return inside.destroy();
    const outside = connect(Number(redisUrl.port || 6379), redisUrl.hostname);
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [inside, outside].forEach((other) => void other.destroy()));
    }
    inside.on('data', (chunk) => state.mute || outside.write(chunk));
    outside.on('data', (chunk) => state.mute || inside.write(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const shut = (): void => {
    state.down = true;
    for (const socket of sockets) socket.destroy();
  };
  lifecycle.onStop('door', () => {
    shut();
    server.close();
  });
  const url = new URL(redisUrl); // with its password, if it has one
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { state, shut, url: url.href };
}

async function eventually(check: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !check(); i += 1) await sleep(50);
  expect(check()).toBe(true);
}

function setUp() {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line).msg) };
  const log = createLogger({ service: 'test', level: 'info', destination });
  lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  return { log, lines };
}

afterEach(() => lifecycle.stop('test'));

describe('connectRedis', () => {
  it('is connected when it resolves', async () => {
    const { log } = setUp();
    const { client, isUp } = await connectRedis({ url: redisUrl.href, log, lifecycle });
    expect(isUp()).toBe(true);
    const key = `kit-test:${newId()}`;
    await client.set(key, 'x', 'EX', 5);
    expect(await client.get(key)).toBe('x');
  });

  it('starts without Redis, refuses at once, and recovers with it', async () => {
    const { log, lines } = setUp();
    const door = await createDoor();
    door.state.down = true;
    const { client, isUp } = await connectRedis({ url: door.url, log, lifecycle });
    expect(isUp()).toBe(false);
    const before = performance.now();
    const err: unknown = await client.get('x').catch((failure: unknown) => failure);
    expect(isConnectivityError(err)).toBe(true);
    expect(performance.now() - before).toBeLessThan(100);
    await sleep(500);
    door.state.down = false;
    await eventually(isUp);
    expect(lines).toEqual(['redis unavailable', 'redis connected again']);
  });

  it('reconnects after an outage', async () => {
    const { log, lines } = setUp();
    const door = await createDoor();
    const { client, isUp } = await connectRedis({ url: door.url, log, lifecycle });
    door.shut();
    await eventually(() => !isUp());
    await expect(client.get('x')).rejects.toThrow();
    await eventually(() => lines.includes('redis unavailable'));
    door.state.down = false;
    await eventually(isUp);
    expect(await client.get(`kit-test:${newId()}`)).toBeNull();
  });

  it('waits at most half a second for an unresponsive Redis, and reconnects', async () => {
    const { log } = setUp();
    const door = await createDoor();
    const { client, isUp } = await connectRedis({ url: door.url, log, lifecycle });
    door.state.mute = true;
    const before = performance.now();
    const err: unknown = await client.get('x').catch((failure: unknown) => failure);
    expect(isConnectivityError(err)).toBe(true);
    expect(performance.now() - before).toBeLessThan(1_500);
    await eventually(() => !isUp());
    door.state.mute = false;
    await eventually(isUp);
  });
});
