import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { createDeepgramRecognition } from '../src/providers/deepgram.ts';
import { toneAt } from './providers.ts';

const SILENCE_MS = 1_500;
const WORDS = {
  type: 'Results',
  start: 0,
  duration: 0.6,
  is_final: true,
  from_finalize: true,
  channel: { alternatives: [{ transcript: 'hello there', confidence: 1 }] },
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

it('a connection that replaces one which broke off has its own time for the words [calls.20]', async () => {
  const sockets = new WebSocketServer({ noServer: true });
  let connections = 0;
  server = createServer().on('upgrade', (request, socket, head) => {
    connections += 1;
    const isFirst = connections === 1;
    // The second connection is being opened when the time of the first one is over.
    const accept = (): void =>
      sockets.handleUpgrade(request, socket, head, (client) => {
        client.on('message', (_, isBinary) => {
          if (isBinary) return;
          if (isFirst) setTimeout(() => client.terminate(), 1_000);
          else client.send(JSON.stringify(WORDS));
        });
      });
    setTimeout(accept, isFirst ? 0 : 1_000);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const heard: string[] = [];
  const stream = createDeepgramRecognition({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limits: { connectMs: 10_000, silenceMs: SILENCE_MS },
  }).open({
    language: 'en-US',
    onResult: ({ text }) => heard.push(text),
    onError: ({ message }) => heard.push(message),
  });
  for (let at = 0; at < 600; at += 20) stream.push(toneAt(16_000, 20));
  await stream.flush();
  stream.close();
  expect([heard, connections]).toEqual([['hello there'], 2]);
});
