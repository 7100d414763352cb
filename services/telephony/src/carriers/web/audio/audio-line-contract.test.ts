import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, it, jest } from '@jest/globals';
import { createMediaSession, createPcmLine } from '@parley/media';
import { farEnd, type MediaSetup, manualTime, mediaSessionContract } from '@parley/media/testing';
import type { IceServer } from '@parley/media/webrtc';
import { mediaClock } from '../../../speech/media-clock.ts';
import { createWebAudioLine } from './audio-line.ts';
import type { SocketConnection } from './socket-line.ts';

// The contract of media sessions over the WebSocket of a visitor. Keys come as messages beside the audio.

const RATE = 24_000;
const BESIDE_THE_AUDIO = ['presses keys, also the same one twice', 'hears keys'];
const { clock, ticker, pass } = manualTime();

function open(): MediaSetup {
  const fail = (err: unknown): never => {
    throw err;
  };
  const line = createWebAudioLine(
    { server: {} as IceServer, addresses: [], ticker, onError: fail },
    { onConnected: () => {}, onKeys: () => {}, onLost: () => fail(new Error('the visitor is lost')) },
  );
  const toVisitor = (bytes: Uint8Array): void => visitor.push(bytes);
  const socket = Object.assign(new EventEmitter(), {
    ...{ readyState: 1, OPEN: 1, CLOSING: 2, bufferedAmount: 0, send: toVisitor, terminate: () => {} },
  });
  const visitor = createPcmLine({
    sampleRate: RATE,
    nowMs: clock.nowMs,
    send: (bytes) => socket.emit('message', Buffer.from(bytes), true),
    onClose: () => {},
  });
  line.acceptSocket({ socket, send: () => {}, close: () => {} } as unknown as SocketConnection);
  const session = line.session();
  if (!session) throw new Error('the line has no session');
  const other = createMediaSession(visitor, ticker);
  return {
    session,
    far: farEnd(other),
    pass,
    close: () => {
      line.close();
      other.close();
    },
  };
}

describe('the audio of a web call over a WebSocket [web-calls.8]', () => {
  beforeAll(() => void jest.spyOn(mediaClock, 'nowMs').mockImplementation(clock.nowMs));
  afterAll(() => void jest.restoreAllMocks());

  for (const { name, run } of mediaSessionContract)
    if (!BESIDE_THE_AUDIO.includes(name)) it(name, () => run(async () => open()));
});
