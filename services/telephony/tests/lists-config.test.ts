import { describe, expect, it } from '@jest/globals';
import { configSchema } from '../src/config.ts';

const { shape } = configSchema;
const needed = {
  PORT: '1',
  DATABASE_URL: 'postgres://u:p@127.0.0.1/x',
  AMQP_URL: 'amqp://127.0.0.1',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  INTERNAL_SIGNING_KEYS: Buffer.alloc(32, 1).toString('base64'),
  INTERNAL_VERIFY_KEYS: `gateway:${Buffer.alloc(32, 2).toString('base64')}`,
  PUBLIC_URL: 'http://127.0.0.1:1',
  RECORDING_URL_SECRET: 'x'.repeat(32),
  RECORDINGS_DIR: '/tmp/recordings',
  ASSISTANTS_URL: 'http://127.0.0.1:2',
  CAMPAIGNS_URL: 'http://127.0.0.1:3',
  GATEWAY_INTERNAL_URL: 'http://127.0.0.1:4',
};

describe('lists of the configuration', () => {
  it.each([
    ['CARRIERS', 'sip, simulator,', ['sip', 'simulator']],
    [
      'SIP_EDGE_URL',
      ' ws://10.0.3.7:5066 ,, ws://10.0.3.8:5066,',
      ['ws://10.0.3.7:5066', 'ws://10.0.3.8:5066'],
    ],
    ['SIP_CODECS', 'PCMU , G722,', ['PCMU', 'G722']],
    ['WEB_UDP_ADDRESSES', ' 127.0.0.1, ::1,', ['127.0.0.1', '::1']],
    [
      'SIP_TRUNK_NETWORKS',
      'Provider.example=198.51.100.0/24, provider.example=2001:db8::/32,',
      [
        { host: 'provider.example', cidr: '198.51.100.0/24' },
        { host: 'provider.example', cidr: '2001:db8::/32' },
      ],
    ],
    ['OUTBOUND_ALLOW_CIDRS', ' 127.0.0.0/8, ::1,', ['127.0.0.0/8', '::1']],
  ] as const)('%s: space around items and empty items do not count', (name, value, items) => {
    expect(shape[name].parse(value)).toEqual(items);
  });

  it.each(['198.51.100.0/24', 'provider.example=', '=10.0.0.0/8', 'provider.example=10.0.0.0/33', 'a=b=c'])(
    'SIP_TRUNK_NETWORKS does not take %s',
    (value) => {
      expect(shape.SIP_TRUNK_NETWORKS.safeParse(value).success).toBe(false);
    },
  );

  it.each([
    ['127.0.0.1', '203.0.113.10', true],
    ['127.0.0.1', '203.0.113.10,2001:db8::1', false],
    ['::', '203.0.113.10,2001:db8::1', true],
  ])('WEB_UDP_ADDRESSES may be IPv6 only if HOST is: %s, %s', (HOST, WEB_UDP_ADDRESSES, isValid) => {
    const { error } = configSchema.safeParse({ ...needed, HOST, WEB_UDP_ADDRESSES });
    expect(error?.issues.map(({ path }) => path.join()) ?? []).toEqual(isValid ? [] : ['WEB_UDP_ADDRESSES']);
  });

  it.each([
    ['21000-21999', true],
    ['21000-21001', true],
    ['21001-21003', true],
    ['21000-21000', false],
    ['21001-21002', false],
    ['21003-21001', false],
  ])('WEB_UDP_PORTS contain an even port and the next one: %s', (value, isValid) => {
    expect(shape.WEB_UDP_PORTS.safeParse(value).success).toBe(isValid);
  });

  it.each(['CARRIERS', 'SIP_CODECS', 'WEB_UDP_ADDRESSES'] as const)('%s needs an item', (name) => {
    expect(shape[name].safeParse(' , ').success).toBe(false);
  });
});
