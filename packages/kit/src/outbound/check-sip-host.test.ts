import { describe, expect, it } from '@jest/globals';
import { checkSipDestination, checkSipHost } from './check-sip-host.ts';

const NOTHING = { allowCidrs: [] };
const REFUSED = 'must lead to a public address';

describe('checkSipHost [numbers.12]', () => {
  it.each([
    '127.0.0.1',
    '10.0.0.5:5060',
    '169.254.169.254',
    'localhost',
    'a.localhost:5060',
    '[::1]',
    '[::ffff:10.0.0.1]:5061',
    '127.1',
    '2130706433',
    '0x7f.1',
    '192.168.1.1.',
  ])('%s is refused, as a trunk and as the target of a transfer', (host) => {
    expect(checkSipHost(host, NOTHING)).toBe(REFUSED);
    for (const uri of [`sip:${host}`, `sip:100@${host}`, `SIP:a:b@${host};transport=tcp?x=1`])
      expect(checkSipDestination(uri, NOTHING)).toBe(REFUSED);
  });

  it.each([
    'sip.example.com',
    'sip.example.com:5060',
    '93.184.215.14:5080',
    '[2606:4700::1]',
    'pbx.internal',
  ])('%s is accepted: names are checked when they are resolved', (host) => {
    expect(checkSipHost(host, NOTHING)).toBeUndefined();
    expect(checkSipDestination(`sip:100@${host}`, NOTHING)).toBeUndefined();
  });

  it.each(['sip..example.com', 'sip.example.com..:5060', `${'a'.repeat(64)}.example.com`])(
    '%s is refused: no name server can resolve it',
    (host) => {
      expect(checkSipHost(host, NOTHING)).toBe('must have a valid host name');
      expect(checkSipDestination(`sip:100@${host}`, NOTHING)).toBe('must have a valid host name');
    },
  );

  it('the operator may allow more, by address and by name', () => {
    const allowance = { allowCidrs: ['10.0.0.0/8', '127.0.0.0/8', '::1'], allowHosts: ['localhost'] };
    for (const host of ['10.0.0.5', 'localhost', '[::1]:5060'])
      expect(checkSipHost(host, allowance)).toBeUndefined();
    expect(checkSipHost('192.168.0.1', allowance)).toBe(REFUSED);
  });

  it('a phone number has no address to check', () => {
    expect(checkSipDestination('+14155550123', NOTHING)).toBeUndefined();
  });
});
