import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readOffer } from './read-offer.ts';

const FINGERPRINT = Array.from({ length: 32 }, (_, n) => n.toString(16).padStart(2, '0')).join(':');

/** As Chromium writes it, shortened. */
const OFFER = [
  'v=0',
  'o=- 46117 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 0 8 13 110 126',
  'c=IN IP4 0.0.0.0',
  'a=candidate:1 1 udp 2113937151 127.0.0.1 40000 typ host',
  'a=ice-ufrag:ZWlu',
  'a=ice-pwd:0123456789abcdefghijkl+/',
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:110 telephone-event/48000',
  'a=rtpmap:126 telephone-event/8000',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 0.0.0.0',
  'a=mid:1',
  'a=sctp-port:5000',
];

const sdp = (lines: readonly string[] = OFFER): string => `${lines.join('\r\n')}\r\n`;
const without = (start: string): string => sdp(OFFER.filter((line) => !line.startsWith(start)));
const and = (...lines: string[]): string => sdp([...OFFER, ...lines]);
const replaced = (from: string, to: string): string => sdp().replace(from, to);

describe('readOffer [web-calls.6]', () => {
  it('keeps what matters, and prefers Opus', () => {
    expect(readOffer(sdp())).toEqual({
      ice: { ufrag: 'ZWlu', password: '0123456789abcdefghijkl+/' },
      fingerprint: FINGERPRINT.toUpperCase(),
      audio: { mid: '0', codec: 'opus', payloadType: 111, dtmfPayloadType: 110 },
      data: { mid: '1', port: 5_000 },
      order: ['0', '1'],
    });
  });

  it('takes PCMU where there is no Opus, and no data', () => {
    const lines = OFFER.slice(0, -4).filter((line) => !line.includes('opus'));
    expect(readOffer(sdp(lines))).toMatchObject({
      audio: { codec: 'PCMU', payloadType: 0, dtmfPayloadType: 126 },
      data: null,
    });
  });

  it('takes the offer that docs/web-calls.md has for clients without WebRTC', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/web-calls.md'), 'utf8');
    const [, offer = ''] = /```\n(v=0\n[\s\S]*?)```/.exec(page) ?? [];
    expect(readOffer(offer)).toMatchObject({ audio: { codec: 'PCMU' }, data: null, order: ['0'] });
  });

  it.each([
    ['nothing', '', 'begins with v=0'],
    ['another text', 'hello', 'begins with v=0'],
    ['100 KB', `v=0\r\n${'x'.repeat(100_000)}`, 'at most 12000 characters'],
    ['many lines', `v=0${'\r\na'.repeat(500)}`, 'at most 400 lines'],
    ['51 candidates', and(...Array.from({ length: 50 }, () => 'a=candidate:1')), 'at most 50 candidates'],
    ['no audio', sdp(OFFER.slice(0, 5)), 'm=audio'],
    ['two streams', and('m=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=mid:2'), 'one section m=audio'],
    ['video', and('m=video 9 UDP/TLS/RTP/SAVPF 96', 'a=mid:2'), 'no media but audio'],
    ['no bundle', without('a=group'), 'bundle'],
    ['a section outside of the bundle', replaced('BUNDLE 0 1', 'BUNDLE 0'), 'bundle'],
    ['no mid', without('a=mid'), 'a=mid'],
    ['a mid that would write lines', replaced('a=mid:0', 'a=mid:0 x'), 'a=mid'],
    ['no rtcp-mux', without('a=rtcp-mux'), 'a=rtcp-mux'],
    ['no user', without('a=ice-ufrag'), 'ice-ufrag'],
    ['a short password', replaced('0123456789abcdefghijkl+/', 'short'), 'ice-pwd'],
    ['an old digest', replaced('sha-256', 'sha-1'), 'sha-256'],
    ['a passive side', replaced('actpass', 'passive'), 'a=setup'],
    ['other codecs', replaced('SAVPF 111 0 8', 'SAVPF 9 8'), 'opus or PCMU'],
    ['a port out of range', replaced('sctp-port:5000', 'sctp-port:70000'), 'outside of 0-65535'],
  ])('refuses %s', (_, offer, message) => {
    expect(() => readOffer(offer)).toThrow(message);
  });
});
