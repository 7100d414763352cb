import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { WebSocket } from 'ws';
import { socketConnection } from './socket-line.ts';

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
