import { describe, expect, it } from '@jest/globals';
import { trunkOf } from './trunk-of.ts';

const sip = (termination_uri: string, username: string | null = 'user', workspaceId = 'w') =>
  trunkOf('hosted_sip', workspaceId, { termination_uri, username, transport: 'udp', password: 'p' });
const telco = (account_sid: string, workspaceId = 'w') =>
  trunkOf('telco', workspaceId, { account_sid, auth_token: 't' });

describe('the trunk of a number [numbers.4]', () => {
  it('is the same for each spelling of its host, in any workspace and with any port', () => {
    const one = sip('sip.carrier.net');
    for (const other of [
      'SIP.Carrier.NET',
      'sip.carrier.net.',
      'sip.carrier.net:5060',
      'sip.carrier.net:5080',
    ]) {
      expect(sip(other, 'user', 'other')).toBe(one);
    }
    expect(sip('192.0.2.1')).toBe(sip('192.0.513:5060'));
    expect(sip('[2001:db8::1]:5061')).toBe(sip('[2001:DB8:0::1]'));
  });

  it('differs by host and user name', () => {
    const trunks = [
      sip('a.net'),
      sip('b.net'),
      sip('a.net', 'other'),
      sip('a.net', null),
      sip('a.net', 'User'),
    ];
    expect(new Set(trunks).size).toBe(trunks.length);
  });

  it('is the account of an imported number', () => {
    expect(telco('AC01', 'other')).toBe(telco('ac01'));
    expect(telco('AC02')).not.toBe(telco('AC01'));
  });

  it('is one per workspace at the simulated carrier', () => {
    expect(sip('sip.example.com')).toBe('simulator:w');
    expect(sip('sip.example.com', 'user', 'other')).toBe('simulator:other');
    for (const host of ['a.test', 'example', 'x.invalid', 'EXAMPLE.org.'])
      expect(sip(host)).toBe('simulator:w');
    expect(sip('notexample.com')).toMatch(/^sip:/);
  });
});
