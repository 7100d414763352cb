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
  it('is cut off at once, without waiting for its close handshake', () => {
    let isTerminated = false;
    const socket = Object.assign(new EventEmitter(), {
      terminate: () => {
        isTerminated = true;
      },
    });
    const connection = socketConnection(socket as unknown as WebSocket);
    const line = createSocketLine(connection, {
      sampleRate: 24_000,
      onMessage: () => {},
      onClosed: () => {},
    });
    const burst = Buffer.alloc(19_200);
    for (let n = 0; n < 27; n += 1) socket.emit('message', burst, true);
    expect(isTerminated).toBe(false);
    for (let n = 0; n < 27; n += 1) socket.emit('message', burst, true);
    expect(isTerminated).toBe(true);
    socket.emit('close');
    expect(line.stats().lastReceivedAtMs).toBeDefined();
  });
});
