/**
 * The IPv4 ranges that are not public unicast according to IANA's special-purpose registry, and a public address of cloud metadata.
 */
export const SPECIAL_IPV4: readonly (readonly [cidr: string, what: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'cloud metadata'],
  ['169.254.0.0/16', 'link-local and cloud metadata'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved or broadcast'],
];

/** The global unicast block of IPv6; addresses outside are rejected. */
export const GLOBAL_IPV6 = '2000::/3';

/** Ranges inside `GLOBAL_IPV6` that are not public unicast or embed an IPv4 address. */
export const SPECIAL_IPV6: readonly (readonly [cidr: string, what: string])[] = [
  ['2001::/23', 'protocol assignments (Teredo, ORCHID, benchmarking)'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3ffe::/16', 'withdrawn (6bone)'],
  ['3fff::/20', 'documentation'],
];

/** Names of ranges outside `GLOBAL_IPV6`, for error messages only. */
export const NAMED_IPV6: readonly (readonly [cidr: string, what: string])[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::ffff:0:0/96', 'IPv4-mapped'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['::/96', 'IPv4-compatible'],
  ['64:ff9b::/96', 'NAT64'],
  ['64:ff9b:1::/48', 'local NAT64'],
  ['100::/64', 'discard'],
  ['100:0:0:1::/64', 'dummy'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
];
