import { describe, expect, it } from '@jest/globals';
import type { SipMessage } from '@parley/contracts';
import { describeSdp } from './describe-sdp.ts';
import { drawLadder, inColors, plainly } from './sip-ladder.ts';

const SDP =
  'v=0\r\nc=IN IP4 203.0.113.5\r\nm=audio 4000 RTP/AVP 0 8 101\r\na=rtpmap:101 telephone-event/8000\r\na=sendonly\r\n';

let atMs = Date.parse('2026-11-26T12:00:00Z');
const message = (
  direction: 'sent' | 'received',
  text: string,
  more: Partial<SipMessage> = {},
): SipMessage => {
  atMs += 250;
  return {
    at: new Date(atMs).toISOString(),
    direction,
    transport: 'udp',
    local: '127.0.0.1:40000',
    remote: '203.0.113.5:5060',
    message: text,
    ...more,
  };
};
const call = [
  message('sent', `INVITE sip:+4930@203.0.113.5;transport=udp SIP/2.0\r\nTo: <sip:x>\r\n\r\n${SDP}`),
  message('received', 'SIP/2.0 180 Ringing\r\nCSeq: 1 INVITE\r\n\r\n'),
  message('received', `SIP/2.0 200 OK\r\nCSeq: 1 INVITE\r\n\r\n${SDP}`),
  message('sent', 'ACK sip:+4930@203.0.113.5 SIP/2.0\r\n\r\n'),
  message('received', 'BYE sip:us SIP/2.0\r\nReason: Q.850;cause=16\r\nTo: <sip:x>;tag=1\r\n\r\n'),
  message('sent', 'SIP/2.0 200 OK\r\nCSeq: 2 BYE\r\n\r\n'),
];

describe('the ladder of a call [sip.38]', () => {
  it('shows who sent what to whom, when, and the media', () => {
    expect(drawLadder(call, plainly).split('\n')).toEqual([
      '            Parley                                udp 203.0.113.5:5060',
      '            127.0.0.1:40000',
      '            │                                     │',
      '   0.000    │─ INVITE sip:+4930@203.0.113.5 ─────▶│  PCMU PCMA events  203.0.113.5:4000 sendonly',
      '   0.250    │◀────────────────────── 180 Ringing ─│',
      '   0.500    │◀─────────────────────────── 200 OK ─│  PCMU PCMA events  203.0.113.5:4000 sendonly',
      '   0.750    │─ ACK ──────────────────────────────▶│',
      '   1.000    │◀────────────────────────────── BYE ─│  Reason: Q.850;cause=16',
      '   1.250    │─ 200 OK (BYE) ─────────────────────▶│',
      '            │                                     │',
      '',
    ]);
  });

  it('has a line for each far end, to which arrows lead across the others', () => {
    const refer = message('sent', 'OPTIONS sip:b SIP/2.0\r\n\r\n', {
      transport: 'tls',
      remote: '198.51.100.1:5061',
    });
    const lines = drawLadder([...call, refer], plainly).split('\n');
    expect(lines[0]).toContain('tls 198.51.100.1:5061');
    expect(lines.find((line) => line.includes('OPTIONS'))).toMatch(/│─ OPTIONS ─{50,}▶│$/);
    expect(lines.find((line) => line.includes('180'))).toMatch(/─│ {37}│$/);
  });

  it('is colored on a terminal, and says what it means that there is none', () => {
    expect(drawLadder(call, inColors)).toContain('\u001b[32m');
    expect(drawLadder([], plainly)).toContain('No SIP message');
  });

  it('tells of refused and encrypted media', () => {
    expect(describeSdp('c=IN IP4 10.0.0.1\r\nm=audio 0 RTP/SAVP 9\r\n')).toBe('G722  refused SRTP');
    expect(describeSdp('')).toBe('');
  });
});
