import { setTimeout as sleep } from 'node:timers/promises';
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
  const setUp = async () => {
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
    const checkWith = (password: string): Buffer =>
      new Message(methods.BINDING, classes.REQUEST)
        .setAttribute('USERNAME', `${answered('ice-ufrag')}:browser`)
        .setAttribute('USE-CANDIDATE', null)
        .addMessageIntegrity(Buffer.from(password))
        .addFingerprint().bytes;
    return {
      ...{ server, peer, sent, checkWith, check: checkWith(answered('ice-pwd')) },
      receive: (bytes: Buffer) => receive(bytes, 'rtp', FROM),
    };
  };

  it('survives every datagram of a browser that has the password of the call', async () => {
    const { server, peer, sent, check, receive } = await setUp();
    receive(check);
    expect(sent).toHaveLength(1);

    for (let type = 0; type < 256; type += 1)
      for (const rest of [0, 11, 12]) receive(Buffer.concat([Buffer.from([type]), Buffer.alloc(rest, 0xff)]));
    receive(Buffer.alloc(0));
    peer.close();
    expect(await peer.closed).toBe('closed here');
    server.close();
  });

  it('is closed by a flood of checks, unless they are forged', async () => {
    const { server, peer, sent, check, checkWith, receive } = await setUp();
    const forged = checkWith('0123456789abcdefghijkl');
    for (let n = 0; n < 2_000; n += 1) receive(forged);
    expect(sent).toHaveLength(0);
    for (let n = 0; n < 5_000; n += 1) receive(check);
    expect(await peer.closed).toBe('too many packets');
    expect(sent.length).toBeLessThan(3_000);
    // It has left nothing behind: nothing answers to its name.
    await sleep(50);
    const before = sent.length;
    receive(check);
    expect(sent.length).toBe(before);
    server.close();
  });
});
