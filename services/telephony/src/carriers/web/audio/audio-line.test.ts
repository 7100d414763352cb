import { expect, it } from '@jest/globals';
import { createTicker } from '@parley/media';
import { createIceServer, prepareWebRtc } from '@parley/media/webrtc';
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

it('an offer is given up when its browser connects by a WebSocket [web-calls.8]', async () => {
  await prepareWebRtc();
  const ice = createIceServer({ port: 21_000, send: () => {}, onPacket: () => {}, close: () => {} });
  let open = 0;
  const raise = (err: unknown): void => {
    throw err;
  };
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
  const socket = { on: () => {}, readyState: 1, OPEN: 1, bufferedAmount: 0, send: () => {} };
  line.acceptSocket({ socket, send: () => {}, close: () => {} } as unknown as SocketConnection);
  await eventually(() => expect(open).toBe(0));
  line.close();
  ice.close();
});
