import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { createTicker } from '@parley/media';
import { createIceServer, type IceServer, prepareWebRtc } from '@parley/media/webrtc';
import type { WebRtcOffer } from '@parley/media/webrtc-offer';
import { eventually } from '@parley/testkit';
import { mediaClock } from '../../../speech/media-clock.ts';
import { createWebAudioLine } from './audio-line.ts';
import type { SocketConnection } from './socket-line.ts';

const OFFER: WebRtcOffer = {
  ice: { ufrag: 'browser', password: '0123456789abcdefghijkl' },
  fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
  audio: { mid: '0', codec: 'PCMU', payloadType: 0, dtmfPayloadType: null },
  data: { mid: '1', port: 5_000 },
  order: ['0', '1'],
};

const raise = (err: unknown): void => {
  throw err;
};
const CLOSING = 2;

it('an offer is given up when its browser connects by a WebSocket [web-calls.8]', async () => {
  await prepareWebRtc();
  const ice = createIceServer({ port: 21_000, send: () => {}, onPacket: () => {}, close: () => {} });
  let open = 0;
  const line = createWebAudioLine(
    {
      server: {
        ...ice,
        open: (...given) => {
          open += 1;
          const end = ice.open(...given);
          const { close } = end;
          end.close = () => {
            open -= 1;
            close();
          };
          return end;
        },
      },
      addresses: ['127.0.0.1'],
      ticker: createTicker(mediaClock, raise),
      onError: raise,
    },
    { onConnected: () => {}, onKeys: () => {}, onLost: () => {} },
  );
  line.accept(OFFER);
  line.accept(OFFER);
  await eventually(() => expect(open).toBe(1));
  const socket = { on: () => {}, readyState: 1, OPEN: 1, CLOSING, bufferedAmount: 0, send: () => {} };
  line.acceptSocket({ socket, send: () => {}, close: () => {} } as unknown as SocketConnection);
  await eventually(() => expect(open).toBe(0));
  line.close();
  ice.close();
});

it.each([
  ['is closing', CLOSING],
  ['has closed', 3],
])('a WebSocket that %s before its line takes it replaces nothing [web-calls.8]', (_, readyState) => {
  const connected: string[] = [];
  const shown: string[] = [];
  const closed: string[] = [];
  const line = createWebAudioLine(
    { server: {} as IceServer, addresses: [], ticker: createTicker(mediaClock, raise), onError: raise },
    { onConnected: () => connected.push('connected'), onKeys: () => {}, onLost: () => {} },
  );
  const accept = (name: string, state: number): void =>
    line.acceptSocket({
      socket: Object.assign(new EventEmitter(), { readyState: state, OPEN: 1, CLOSING }),
      send: () => shown.push(name),
      close: () => closed.push(name),
    } as unknown as SocketConnection);
  accept('early', readyState);
  expect([connected, line.session()]).toEqual([[], undefined]);
  accept('live', 1);
  accept('late', readyState);
  expect([connected, closed]).toEqual([['connected'], ['early', 'late']]);
  line.show({ type: 'turn' });
  expect(shown).toEqual(['live']);
  line.close();
});
