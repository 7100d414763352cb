import { connect, createServer, type Server } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@parley/testkit';
import { openRelay } from './relay.ts';

const message = (method: string): string =>
  [
    `${method} sip:trunk@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK${method}`,
    `CSeq: 1 ${method}`,
    'Content-Length: 4',
    '',
    'body',
  ].join('\r\n');

describe('the relay in front of sipp', () => {
  const closes: (() => unknown)[] = [];
  afterAll(() => {
    for (const close of closes) close();
  });

  it('responds to a check itself and passes on the call that comes with it in one piece', async () => {
    let received = '';
    const sipp: Server = createServer((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.toString();
      });
      closes.push(() => socket.destroy());
    });
    const target = await freePort();
    await new Promise<void>((resolve) => sipp.listen(target, '127.0.0.1', resolve));
    const relay = await openRelay(target);
    const worker = connect(relay.port, '127.0.0.1');
    closes.push(
      () => sipp.close(),
      relay.close,
      () => worker.destroy(),
    );
    let response = '';
    worker.on('data', (bytes) => {
      response += bytes.toString();
    });
    worker.write(message('OPTIONS') + message('INVITE') + message('OPTIONS'));
    await eventually(() => expect(response.match(/^SIP\/2\.0 200 OK/gm)).toHaveLength(2));
    expect(received).toBe(message('INVITE'));
  });
});
