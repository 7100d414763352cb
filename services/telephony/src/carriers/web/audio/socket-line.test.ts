import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { WebSocket } from 'ws';
import { createSocketLine, socketConnection } from './socket-line.ts';

describe('a WebSocket that no line has taken [web-calls.8]', () => {
  it('is closed by a malformed frame, which ends nothing else', () => {
    let isTerminated = false;
    const socket = Object.assign(new EventEmitter(), {
      terminate: () => {
        isTerminated = true;
      },
    });
    socketConnection(socket as unknown as WebSocket);
    socket.emit('error', new Error('Invalid WebSocket frame'));
    expect(isTerminated).toBe(true);
  });
});

describe('a WebSocket that sends more than a call needs [web-calls.6]', () => {
  const setUp = () => {
    const seen = { isTerminated: false };
    const socket = Object.assign(new EventEmitter(), {
      terminate: () => {
        seen.isTerminated = true;
      },
    });
    const line = createSocketLine(socketConnection(socket as unknown as WebSocket), {
      sampleRate: 24_000,
      onMessage: () => {},
      onClosed: () => {},
    });
    return { seen, socket, line };
  };

  it('is cut off at once, without waiting for its close handshake', () => {
    const { seen, socket, line } = setUp();
    const burst = Buffer.alloc(19_200);
    for (let n = 0; n < 27; n += 1) socket.emit('message', burst, true);
    expect(seen.isTerminated).toBe(false);
    for (let n = 0; n < 27; n += 1) socket.emit('message', burst, true);
    expect(seen.isTerminated).toBe(true);
    socket.emit('close');
    expect(line.stats().lastReceivedAtMs).toBeDefined();
  });

  it.each(['message', 'ping', 'pong'])('is cut off for empty frames too: %s', (event) => {
    const { seen, socket } = setUp();
    for (let n = 0; n < 1_000; n += 1) socket.emit(event, Buffer.alloc(0), false);
    expect(seen.isTerminated).toBe(false);
    for (let n = 0; n < 10_000; n += 1) socket.emit(event, Buffer.alloc(0), false);
    expect(seen.isTerminated).toBe(true);
  });
});
