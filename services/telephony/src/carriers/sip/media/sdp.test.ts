import { describe, expect, it } from '@jest/globals';
import { parseSdp } from './sdp.ts';

describe('a description [sip.18]', () => {
  it('has at most 32 formats; more are ignored', () => {
    const lines = ['v=0', 'o=- 1 1 IN IP4 1.2.3.4', 's=-', 'c=IN IP4 1.2.3.4', 't=0 0'];
    const text = [...lines, `m=audio 4000 RTP/AVP 8${' 0'.repeat(7_000)}`].join('\r\n');
    const formats = parseSdp(text)?.audio.formats ?? [];
    expect(formats).toHaveLength(32);
    expect(formats[0]?.name).toBe('PCMA');
  });
});
