import { describe, expect, it } from '@jest/globals';
import { parseCidr } from '@parley/kit/outbound';
import { isInNetworks } from './require-allowed.ts';

const NETWORKS = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32'].map(parseCidr);

describe('isInNetworks [trust.9]', () => {
  it.each(['203.0.113.9', '::ffff:203.0.113.9', '198.51.100.7', '2001:db8:1::5'])('%s is', (address) =>
    expect(isInNetworks(address, NETWORKS)).toBe(true),
  );
  it.each(['', 'unknown', '203.0.114.1', '198.51.100.8', '2001:db9::1', '::1', '::203.0.113.9'])(
    '%j is not',
    (address) => expect(isInNetworks(address, NETWORKS)).toBe(false),
  );
});
