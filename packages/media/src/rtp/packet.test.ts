import { describe, expect, it } from '@jest/globals';
import { looksLikeRtcp, parseRtp, serializeRtp } from './packet.ts';
import { parseRtcp, serializeRtcp } from './rtcp.ts';
import { createUnwrapper, wrappedDistance } from './sequence.ts';

const packet = {
  payloadType: 101,
  sequence: 65_535,
  timestamp: 4_294_967_295,
  ssrc: 0xdead_beef,
  marker: true,
  payload: Uint8Array.of(1, 2, 3),
};

describe('RTP packets', () => {
  it('round-trip', () => {
    const bytes = serializeRtp(packet);
    expect(bytes).toHaveLength(15);
    expect(parseRtp(bytes)).toEqual(packet);
    expect(looksLikeRtcp(bytes)).toBe(false);
  });

  it('are rejected if they are truncated, have excess padding, another version or are oversized', () => {
    const bytes = serializeRtp(packet);
    expect(parseRtp(bytes.subarray(0, 11))).toBeUndefined();
    expect(parseRtp(new Uint8Array())).toBeUndefined();
    expect(parseRtp(Uint8Array.from(bytes, (byte, n) => (n === 0 ? 0x40 : byte)))).toBeUndefined();
    expect(
      parseRtp(Uint8Array.from(bytes, (byte, n) => (n === 0 ? 0xa0 : n === 14 ? 200 : byte))),
    ).toBeUndefined();
    expect(parseRtp(Uint8Array.from({ length: 5_000 }, (_, n) => (n === 0 ? 0x80 : 0)))).toBeUndefined();
  });
});

describe('RTCP packets', () => {
  const report = {
    ssrc: 7,
    fractionLost: 0.25,
    totalLost: 70_000,
    highestSequence: 65_536 * 3 + 5,
    jitter: 44,
    lastSenderReport: 0x1234_5678,
    delaySinceSenderReport: 65_536,
  };

  it('contain sender information, a report and a goodbye', () => {
    const sender = { nowMs: 1_700_000_000_500, rtpTimestamp: 99, packets: 5, octets: 800 };
    const bytes = serializeRtcp({ ssrc: 9, cname: 'x', sender, report, bye: true });
    expect(looksLikeRtcp(bytes)).toBe(true);
    const content = parseRtcp(bytes);
    expect(content?.reports).toEqual([report]);
    expect(content?.byes).toEqual([9]);
    // 1,700,000,000 s of Unix time are 3,908,988,800 s of NTP; half a second is 0x8000.
    expect(content?.senderReport).toEqual({ ssrc: 9, ntp: (3_908_988_800 % 65_536) * 65_536 + 0x8000 });
  });

  it('are receiver reports before anything was sent', () => {
    const content = parseRtcp(serializeRtcp({ ssrc: 9, cname: 'x', report }));
    expect(content).toEqual({ reports: [report], byes: [] });
  });

  it('are rejected if they are malformed', () => {
    const bytes = serializeRtcp({ ssrc: 9, cname: 'x', report });
    for (let length = 0; length < bytes.length; length += 4) {
      const cut = parseRtcp(bytes.subarray(0, length));
      // A shorter compound of whole packets is well-formed.
      if (cut) expect(length).toBe(32);
    }
  });
});

describe('wrapping numbers', () => {
  it('have a signed distance', () => {
    expect(wrappedDistance(65_535, 2, 16)).toBe(3);
    expect(wrappedDistance(2, 65_535, 16)).toBe(-3);
    expect(wrappedDistance(4_294_967_290, 10, 32)).toBe(16);
  });

  it('are unwrapped in both directions', () => {
    const unwrap = createUnwrapper(16);
    expect([65_534, 1, 65_535, 2].map(unwrap)).toEqual([65_534, 65_537, 65_535, 65_538]);
  });
});
