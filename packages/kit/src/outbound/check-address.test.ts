import { describe, expect, it } from '@jest/globals';
import ipaddr from 'ipaddr.js';
import { checkAddress } from './check-address.ts';
import { parseCidr } from './ip-address.ts';

const PUBLIC = `
  1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 34.117.59.81 52.94.236.248 99.255.255.255 100.63.255.255 100.128.0.0
  126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0
  191.255.255.255 192.0.1.0 192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.88.98.255
  192.88.100.0 192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255 198.20.0.0 198.51.99.255
  198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
  2001:200:: 2001:4860:4860::8888 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2003:: 2400:cb00:2048:1::c629:d7a2
  2600:1f18::1 2606:4700:4700::1111 2620:0:860::1 2620:4f:7fff:ffff:: 2620:4f:8001:: 2a00:1450:4001:81b::200e
  2a02:26f0::1 2c0f:fb50::1
`;

const REFUSED: Record<string, string> = {
  'this network': '0.0.0.0 0.0.0.1 0.1.2.3 0.255.255.255',
  private:
    '10.0.0.0 10.0.0.1 10.255.255.255 172.16.0.0 172.16.0.1 172.20.10.2 172.31.255.255 192.168.0.0 192.168.1.1 192.168.255.255',
  'carrier-grade NAT': '100.64.0.0 100.64.0.1 100.100.100.200 100.127.255.255',
  loopback: '127.0.0.0 127.0.0.1 127.0.0.53 127.0.1.1 127.1.2.3 127.255.255.255 ::1 0:0:0:0:0:0:0:1',
  'cloud metadata': '168.63.129.16',
  'link-local and cloud metadata': '169.254.0.0 169.254.1.1 169.254.169.254 169.254.170.2 169.254.255.255',
  'protocol assignments': '192.0.0.0 192.0.0.8 192.0.0.170 192.0.0.192 192.0.0.255',
  documentation: `192.0.2.0 192.0.2.1 192.0.2.255 198.51.100.0 198.51.100.7 198.51.100.255 203.0.113.0 203.0.113.9
    203.0.113.255 2001:db8:: 2001:db8::1 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: 3fff:fff:ffff::1`,
  AS112: '192.31.196.1 192.175.48.1 2620:4f:8000::1',
  AMT: '192.52.193.1',
  '6to4 relay': '192.88.99.0 192.88.99.1 192.88.99.255',
  benchmarking: '198.18.0.0 198.18.0.1 198.19.255.255',
  multicast: `224.0.0.0 224.0.0.1 224.0.0.251 239.255.255.250 239.255.255.255 ff00:: ff01::1 ff02::1 ff02::fb ff05::1:3
    ff0e::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
  'reserved or broadcast': '240.0.0.0 240.0.0.1 250.1.2.3 255.255.255.254 255.255.255.255',
  unspecified: ':: 0:0:0:0:0:0:0:0',
  'IPv4-mapped': `::ffff:0.0.0.0 ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:127.0.0.1 0:0:0:0:0:ffff:7f00:1 ::ffff:10.0.0.1
    ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:8.8.8.8`,
  'IPv4-translated': '::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8',
  'IPv4-compatible': '::127.0.0.1 ::7f00:1 ::169.254.169.254 ::8.8.8.8 ::2 ::ffff:ffff',
  NAT64: '64:ff9b:: 64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::169.254.169.254 64:ff9b::8.8.8.8',
  'local NAT64': '64:ff9b:1:: 64:ff9b:1::1 64:ff9b:1:ffff::a00:1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
  discard: '100:: 100::1 100::ffff:ffff:ffff:ffff',
  dummy: '100:0:0:1::1',
  'segment routing': '5f00:: 5f00::1 5f00:ffff::1',
  'protocol assignments (Teredo, ORCHID, benchmarking)': `2001:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1
    2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:1f:ffff::1 2001:20::1 2001:2f:ffff::1 2001:30::1
    2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff`,
  '6to4': '2002:: 2002:7f00:1:: 2002:a00:1::1 2002:a9fe:a9fe::1 2002:808:808::1 2002:ffff:ffff::1',
  'withdrawn (6bone)': '3ffe::1 3ffe:831f:4004::1',
  'unique local': 'fc00:: fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fdff:ffff:ffff::1',
  'link-local': 'fe80:: fe80::1 fe80::a9fe:a9fe febf:ffff::1',
  'site-local': 'fec0:: fec0::1 feff:ffff::1',
  'not global unicast': `::1:0:0:0 100:0:0:2::1 200::1 400::1 64:ff9b:2::1 1000::1 1fff:ffff::1 4000::1 5eff::1 6000::1 8000::1
    a000::1 c000::1 e000::1 f000::1 f800::1 fbff::1 fe00::1 fe7f::1`,
  'not an address':
    `localhost example.com 127.1 127.0.1 0177.0.0.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001
    127.0.0.01 127.0.0.1. 1.2.3 256.1.1.1 1.2.3.4.5 [::1] ::1%lo fe80::1%eth0 2606:4700:4700::1111%eth0 ::ffff:0x7f.1
    1::2::3 12345:: :: 1.1.1.1/32 １２７.0.0.1 127。0。0。1`.replace(' :: ', ' '),
};

const words = (text: string): string[] => text.trim().split(/\s+/);
const refused = Object.entries(REFUSED).flatMap(([what, text]) =>
  words(text).map((address) => ({ address, what })),
);

describe('checkAddress', () => {
  it.each(words(PUBLIC))('accepts %s', (address) => {
    expect(checkAddress(address)).toBeUndefined();
  });

  it.each(refused)('refuses $address as $what', ({ address, what }) => {
    expect(checkAddress(address)).toBe(what);
  });

  it('refuses nothing and blanks', () => {
    for (const text of ['', ' ', ' 8.8.8.8', '8.8.8.8 ', '8.8.8.8\n'])
      expect(checkAddress(text)).toBe('not an address');
  });

  it('covers at least the ranges of ipaddr.js', () => {
    type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];
    type WithRanges = { SpecialRanges: Record<string, Range | Range[]> };
    const ranges = [ipaddr.IPv4, ipaddr.IPv6].flatMap((family) =>
      Object.values((family.prototype as unknown as WithRanges).SpecialRanges).flatMap((range) =>
        Array.isArray(range[0]) ? (range as Range[]) : [range as Range],
      ),
    );
    expect(ranges.length).toBeGreaterThan(25);
    for (const [network, bits] of ranges) {
      const cidr = `${network.toString()}/${bits}`;
      const [parser] = network instanceof ipaddr.IPv4 ? [ipaddr.IPv4] : [ipaddr.IPv6];
      for (const edge of [parser.networkAddressFromCIDR(cidr), parser.broadcastAddressFromCIDR(cidr)]) {
        expect([cidr, checkAddress(edge.toString())]).toEqual([cidr, expect.any(String)]);
      }
    }
  });
});

describe('what the operator allows', () => {
  const allowed = ['127.0.0.0/8', '::1', 'fd00:aa::/32', '10.1.2.3'].map(parseCidr);

  it.each(['127.0.0.1', '127.255.255.255', '::1', 'fd00:aa:1::5', '10.1.2.3', '8.8.8.8'])(
    '%s is accepted',
    (address) => {
      expect(checkAddress(address, allowed)).toBeUndefined();
    },
  );

  it.each([
    '10.1.2.4',
    '169.254.169.254',
    'fd00:ab::1',
    '::2',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('%s is still refused', (address) => {
    expect(checkAddress(address, allowed)).toEqual(expect.any(String));
  });
});

describe('parseCidr', () => {
  it.each([
    '10/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '::/129',
    '10.0.0.0/8/8',
    'x/8',
    '',
    '10.0.0.0/255.0.0.0',
    'fe80::%1/64',
  ])('refuses %p', (text) => {
    expect(() => parseCidr(text)).toThrow(RangeError);
  });

  it('accepts everything', () => {
    expect(checkAddress('169.254.169.254', [parseCidr(' 0.0.0.0/0 ')])).toBeUndefined();
    expect(checkAddress('::ffff:127.0.0.1', [parseCidr('::/0')])).toBeUndefined();
    expect(checkAddress('127.0.0.1', [parseCidr('::/0')])).toBe('loopback');
  });
});
