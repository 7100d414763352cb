import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { disconnect, goneSignal, isClientGone } from './client-gone.ts';

it('aborts when the client disconnects, and at once if it has done so already', () => {
  const responseOf = (closed: boolean) =>
    Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse;
  const open = responseOf(false);
  const signal = goneSignal(open);
  expect(signal.aborted).toBe(false);
  open.emit('close');
  expect(signal.reason).toMatchObject({ code: 'BAD_REQUEST' });
  expect(isClientGone(signal.reason)).toBe(true);
  expect(goneSignal(responseOf(true)).aborted).toBe(true);
});

describe('disconnect', () => {
  let server: Server;
  let socket: Socket;
  let received = '';

  afterEach(async () => {
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  /** The responses to requests that a client sends at once. */
  async function pipeline(requests: number): Promise<ServerResponse[]> {
    const responses: ServerResponse[] = [];
    server = createServer((_req, res) => responses.push(res));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    await eventually(() => expect(responses).toHaveLength(requests));
    return responses;
  }

  it('closes the connection of a response that waits behind another one', async () => {
    const [first, second] = await pipeline(2);
    second?.write('a part');
    if (second) disconnect(second);
    await once(socket, 'close');
    expect(first?.writableFinished).toBe(false);
  });

  it('leaves the connection of a complete response to those behind it', async () => {
    const [first, second] = await pipeline(2);
    first?.end('whole');
    await eventually(() => expect(first?.writableFinished).toBe(true));
    if (first) disconnect(first);
    second?.end('next');
    await eventually(() => expect(received).toContain('next'));
  });
});
