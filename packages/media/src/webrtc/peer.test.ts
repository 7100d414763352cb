import { describe, expect, it } from '@jest/globals';
import { classes, Message, methods } from 'werift';
import type { UdpTransport } from '../rtp/udp-transport.ts';
import { createIceServer } from './ice-server.ts';
import { createWebRtcPeer, prepareWebRtc } from './peer.ts';
import type { WebRtcOffer } from './read-offer.ts';

const FROM = { address: '127.0.0.1', port: 40_000 };
const OFFER: WebRtcOffer = {
  ice: { ufrag: 'browser', password: '0123456789abcdefghijkl' },
  fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
  audio: { mid: '0', codec: 'PCMU', payloadType: 0, dtmfPayloadType: null },
  data: { mid: '1', port: 5_000 },
  order: ['0', '1'],
};

describe('a peer [web-calls.6]', () => {
  it('survives every datagram of a browser that has the password of the call', async () => {
    await prepareWebRtc();
    let receive: Parameters<UdpTransport['onPacket']>[0] = () => {};
    const sent: Uint8Array[] = [];
    const server = createIceServer({
      port: 21_000,
      send: (bytes) => void sent.push(bytes),
      onPacket: (listener) => {
        receive = listener;
      },
      close: () => {},
    });
    const peer = createWebRtcPeer({
      server,
      addresses: ['127.0.0.1'],
      offer: OFFER,
      onConnected: () => {},
      onMessage: () => {},
    });
    const answered = (name: string): string => new RegExp(`a=${name}:(\\S+)`).exec(peer.answer)?.[1] ?? '';
    const check = new Message(methods.BINDING, classes.REQUEST)
      .setAttribute('USERNAME', `${answered('ice-ufrag')}:browser`)
      .setAttribute('USE-CANDIDATE', null)
      .addMessageIntegrity(Buffer.from(answered('ice-pwd')))
      .addFingerprint().bytes;
    receive(check, 'rtp', FROM);
    expect(sent).toHaveLength(1);

    for (let type = 0; type < 256; type += 1)
      for (const rest of [0, 11, 12])
        receive(Buffer.concat([Buffer.from([type]), Buffer.alloc(rest, 0xff)]), 'rtp', FROM);
    receive(Buffer.alloc(0), 'rtp', FROM);
    peer.close();
    expect(await peer.closed).toBe('closed here');
    server.close();
  });
});
