import { describe, expect, it } from '@jest/globals';
import { calledNumberIn } from './called-number.ts';

const OTHER = 'sip:sales@203.0.113.9';

describe('the number that a request calls [sip.18]', () => {
  it.each([
    'sip:+12025550123@203.0.113.9',
    'sips:12025550123@sip.example.com:5061;transport=tls',
    'SIP:+1(202)555-0123;npdi;rn=1@203.0.113.9;user=phone?Subject=x',
    'sip:%2B12025550123:secret@203.0.113.9',
    'tel:+1-202-555-0123;phone-context=example.com',
    `sip:+12025550123;x=${'y'.repeat(300)}@203.0.113.9`,
    `sip:+12025550123:${'y'.repeat(300)}@203.0.113.9`,
    `sip:+12025550123@203.0.113.9;x=${'y'.repeat(300)}`,
    `tel:+12025550123;x=${'y'.repeat(300)}`,
  ])('is the same in the Request-URI %s', (uri) => {
    expect(calledNumberIn(uri, '')).toBe('+12025550123');
    expect(calledNumberIn(uri, '<sip:+12025550199@203.0.113.9>')).toBe('+12025550123');
  });

  it.each([
    'sip:+12025550123@203.0.113.9;tag=1',
    '<sip:+12025550123@203.0.113.9;x=1>;tag=1',
    'Sales <sips:+12025550123@sip.example.com>',
    ' "Sales \\" <sip:+12025550199@x>" <sip:12025550123@203.0.113.9>',
    '<tel:+12025550123>',
    `"${'y'.repeat(300)}" <sip:+12025550123;x=${'y'.repeat(300)}@sip.example.com>`,
  ])('is that of To %s, if the Request-URI has none', (to) => {
    expect(calledNumberIn(OTHER, to)).toBe('+12025550123');
  });

  it.each(['', 'sip:203.0.113.9', OTHER, 'sip:100@203.0.113.9', 'sip:%@203.0.113.9', '<', '"', 'tel:'])(
    'is none in %j',
    (text) => expect(calledNumberIn(text, text)).toBeUndefined(),
  );
});
