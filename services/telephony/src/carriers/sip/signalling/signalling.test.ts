import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import { eventually, freePort } from '@parley/testkit';
import { createSignalling } from './signalling.ts';

const invite = (n: number, ...headers: string[]): string =>
  [
    'INVITE sip:+12025550123@parley.example SIP/2.0',
    `Via: SIP/2.0/TCP 203.0.113.9;branch=z9hG4bK${n}`,
    'From: <sip:a@example.com>;tag=1',
    'To: <sip:+12025550123@parley.example>',
    `Call-ID: ${n}`,
    'CSeq: 1 INVITE',
    ...headers,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');

it('counts the messages and connections of a trunk that it drops, by their reason [sip.12] [sip.18]', async () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  const port = await freePort();
  const dropped: string[] = [];
  const received: string[] = [];
  const signalling = createSignalling({
    listeners: [{ transport: 'tcp', host: '127.0.0.1', port }],
    ownersOf: () => new Set(['one']),
    onDropped: (reason) => void dropped.push(reason),
    trace: () => {},
    clock: createClock({ rate: 1, originMs: Date.now() }),
    log,
    lifecycle,
  });
  signalling.onRequest(({ callId }) => void received.push(callId));
  await signalling.listen();
  const sockets = Array.from({ length: 101 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await eventually(() => expect(dropped).toEqual(['connection']));
    const [socket] = sockets;
    socket?.write(invite(1, 'Subject: a\nb'));
    socket?.write(invite(2, 'CSeq: 2 INVITE'));
    socket?.write(invite(3));
    await eventually(() => expect(received).toEqual(['3']));
    expect(dropped).toEqual(['connection', 'line_end', 'repeated_header']);
    socket?.write(Array.from({ length: 400 }, (_, n) => invite(4 + n)).join(''));
    await eventually(() => expect(dropped.length + received.length).toBe(404));
    expect(new Set(dropped.slice(3))).toEqual(new Set(['rate']));
  } finally {
    for (const socket of sockets) socket.destroy();
    await lifecycle.stop('test');
  }
});
