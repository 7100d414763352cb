import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SpeechStream } from '../src/index.ts';
import { createDeepgramRecognition } from '../src/providers/deepgram.ts';
import type { Limits } from '../src/providers/limits.ts';
import { PATIENT, toneAt, until } from './providers.ts';

const SILENCE_MS = 1_500;
const WORDS = {
  type: 'Results',
  start: 0,
  duration: 0.6,
  is_final: true,
  from_finalize: true,
  channel: { alternatives: [{ transcript: 'hello there', confidence: 1 }] },
};

describe('a recognition whose connection breaks off [calls.20]', () => {
  let server: Server | undefined;
  let stream: SpeechStream | undefined;
  afterEach(() => {
    jest.restoreAllMocks();
    stream?.close();
    server?.closeAllConnections();
    server?.close();
  });

  /** `accept` gets the number of a connection and how to complete it. */
  const open = async (accept: (n: number, complete: () => Promise<WebSocket>) => void, limits: Limits) => {
    const sockets = new WebSocketServer({ noServer: true });
    let connections = 0;
    server = createServer().on('upgrade', (request, socket, head) => {
      connections += 1;
      accept(
        connections,
        () => new Promise((resolve) => sockets.handleUpgrade(request, socket, head, resolve)),
      );
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const heard: string[] = [];
    const { port } = server.address() as AddressInfo;
    const opened = createDeepgramRecognition({ baseUrl: `http://127.0.0.1:${port}`, limits }).open({
      language: 'en-US',
      onResult: ({ text }) => heard.push(text),
      onError: ({ message }) => heard.push(message),
    });
    stream = opened;
    return { stream: opened, heard, connections: () => connections };
  };

  it('gives the next one its own time for the words', async () => {
    const answer = async (n: number, complete: () => Promise<WebSocket>): Promise<void> => {
      const client = await complete();
      client.on('message', (_, isBinary) => {
        if (isBinary) return;
        if (n === 1) setTimeout(() => client.terminate(), 1_000);
        else client.send(JSON.stringify(WORDS));
      });
    };
    // The second one is being opened when the time of the first one is over.
    const call = await open(
      (n, complete) => void setTimeout(() => answer(n, complete), n === 1 ? 0 : 1_000),
      {
        connectMs: 10_000,
        silenceMs: SILENCE_MS,
      },
    );
    for (let at = 0; at < 600; at += 20) call.stream.push(toneAt(16_000, 20));
    await call.stream.flush();
    expect([call.heard, call.connections()]).toEqual([['hello there'], 2]);
  });

  it.each([
    ['a minute', 61_000, 4, []],
    ['no time', 0, 2, ['deepgram: closed with 1006']],
  ])(
    'opens another one each time if %s passes in between, also in silence',
    async (_, ms, count, failures) => {
      const now = performance.now.bind(performance);
      let passedMs = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
      const clients: WebSocket[] = [];
      const call = await open(
        (_n, complete) => void complete().then((client) => clients.push(client)),
        PATIENT,
      );
      for (let n = 1; n <= 3 && call.heard.length === 0; n += 1) {
        await until(() => clients.length === n);
        clients[n - 1]?.terminate();
        passedMs += ms;
        await until(() => clients.length > n || call.heard.length > 0);
      }
      expect([call.connections(), call.heard]).toEqual([count, failures]);
    },
  );
});
