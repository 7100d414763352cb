import { describe, expect, it } from '@jest/globals';
import { isAllowedNumber, isAllowedTransfer } from './destinations.ts';

const prefixes = ['+49', '+4312'];

describe('allowed destinations [trust.22]', () => {
  it('are prefixes of numbers; without any, all are allowed', () => {
    expect(isAllowedNumber('+4930123456', prefixes)).toBe(true);
    expect(isAllowedNumber('+43123456', prefixes)).toBe(true);
    expect(isAllowedNumber('+43223456', prefixes)).toBe(false);
    expect(isAllowedNumber('+8823456789', [])).toBe(true);
  });

  it.each([
    ['+4930123456', true, true],
    ['+8823456789', false, false],
    ['sip:+4930123456@carrier.example', true, true],
    ['sip:+8823456789@carrier.example', false, false],
    ['sip:%2B8823456789@carrier.example', false, false],
    ['sip:008823456789@carrier.example', false, false],
    ['sip:004930123456@carrier.example', true, true],
    ['sip:+49-30-123456;phone-context=x@carrier.example', true, true],
    ['sip:+8823456789;a=b@carrier.example', false, false],
    ['sip:+8823456789:secret@carrier.example', false, false],
    ['sip:+8823456789%3Ba=b@carrier.example', false, false],
    ['sip:+8823456789%3B%FF@carrier.example', false, false],
    ['sip:+8823456789;a%0Ab@carrier.example', false, false],
    ['sip:+8823456789?a=b@carrier.example', false, false],
    ['sip:+8823456789;a=+4930123456@carrier.example', false, false],
    ['SIP:+8823456789@carrier.example', false, false],
    ['sip:queue;a=b@pbx.example', true, false],
    ['sip:queue@pbx.example', true, false],
    ['sip:pbx.example', true, false],
  ])('a transfer to %s: configured %s, chosen by a model %s', (destination, configured, chosen) => {
    expect(isAllowedTransfer(destination, { prefixes, isConfigured: true })).toBe(configured);
    expect(isAllowedTransfer(destination, { prefixes, isConfigured: false })).toBe(chosen);
    expect(isAllowedTransfer(destination, { prefixes: [], isConfigured: false })).toBe(true);
  });
});
