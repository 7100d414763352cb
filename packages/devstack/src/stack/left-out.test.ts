import { describe, expect, it } from '@jest/globals';
import { isSpoken, leftOut, wantsSip } from './left-out.ts';

describe('npm start -- --without', () => {
  it('accepts services one by one or as a list', () => {
    expect([...leftOut([])]).toEqual([]);
    expect([...leftOut(['--without', 'telephony', '--without=campaigns,webhooks'])]).toEqual([
      'telephony',
      'campaigns',
      'webhooks',
    ]);
  });

  it('reports whether simulated humans speak [running.11]', () => {
    expect(isSpoken([])).toBe(false);
    expect(isSpoken(['--spoken', '--without', 'telephony'])).toBe(true);
  });

  it('makes SIP reachable by --sip or SIP=on [sip.39]', () => {
    expect(wantsSip([], {})).toBe(false);
    expect(wantsSip(['--sip', '--spoken'], {})).toBe(true);
    expect(wantsSip([], { SIP: 'on' })).toBe(true);
    expect(wantsSip([], { SIP: 'off' })).toBe(false);
  });

  it('lists the services', () => {
    expect(() => leftOut(['--without', 'phones'])).toThrow(/"phones".*gateway, assistants/);
  });
});
