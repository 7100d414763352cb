import { describe, expect, it } from '@jest/globals';
import { isSpoken, leftOut } from './left-out.ts';

describe('npm start -- --without', () => {
  it('takes services one by one or as a list', () => {
    expect([...leftOut([])]).toEqual([]);
    expect([...leftOut(['--without', 'telephony', '--without=campaigns,webhooks'])]).toEqual([
      'telephony',
      'campaigns',
      'webhooks',
    ]);
  });

  it('says whether simulated humans speak [running.11]', () => {
    expect(isSpoken([])).toBe(false);
    expect(isSpoken(['--spoken', '--without', 'telephony'])).toBe(true);
  });

  it('says how it is used where an option is unknown', () => {
    expect(() => leftOut(['--help'])).toThrow(/--help[\s\S]*Usage: npm start/);
  });

  it('says which services there are', () => {
    expect(() => leftOut(['--without', 'phones'])).toThrow(/"phones".*gateway, assistants/);
  });
});
