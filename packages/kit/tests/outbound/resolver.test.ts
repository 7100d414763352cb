import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseHosts } from '../../src/outbound/hosts-file.ts';
import { createResolver } from '../../src/outbound/resolver.ts';
import { dnsServer } from './dns-server.ts';
import { brief, clientOf, requestOf } from './harness.ts';

let dns: Awaited<ReturnType<typeof dnsServer>>;
beforeAll(async () => {
  dns = await dnsServer({
    'both.test': { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] },
    'four.test': { a: ['192.0.2.4'] },
    'six.test': { aaaa: ['2001:db8::6'] },
    'mixed.test': { a: ['8.8.8.8'], aaaa: ['::ffff:127.0.0.1'] },
    'silent.test': 'silent',
  });
});
afterAll(() => dns.close());
const resolver = () => createResolver([dns.address]);

describe('createResolver', () => {
  it('returns all addresses of both families, IPv4 first', async () => {
    expect(await resolver()('both.test')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect(await resolver()('four.test')).toEqual(['192.0.2.4']);
    expect(await resolver()('six.test')).toEqual(['2001:db8::6']);
    expect(await resolver()('BOTH.test.')).toHaveLength(3);
  });

  it('rejects a name that does not exist', async () => {
    await expect(resolver()('missing.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('resolves once for concurrent callers, and again for later ones', async () => {
    const resolve = resolver();
    dns.asked.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => resolve('both.test')));
    expect(dns.asked).toEqual(['both.test', 'both.test']);
    await resolve('both.test');
    expect(dns.asked).toHaveLength(4);
  });

  it('uses the hosts file', async () => {
    const hosts = parseHosts(await readFile('/etc/hosts', 'utf8'));
    dns.asked.length = 0;
    for (const [name, addresses] of hosts) expect(await resolver()(name)).toEqual(addresses);
    expect(dns.asked).toEqual([]);
  });
});

describe('the guard with this resolver', () => {
  it('refuses a name with a non-public address in the other family', async () => {
    const result = await clientOf({ resolver: resolver() }).send(requestOf('https://mixed.test/'));
    expect(brief(result)).toEqual({ outcome: 'address_refused', status: 0, sent: false });
  });

  it('waits for a name server only until the deadline, without delaying other names', async () => {
    const client = clientOf({ resolver: resolver() });
    const stuck = Array.from({ length: 50 }, () =>
      client.send(requestOf('https://silent.test/', { deadlineMs: 600 })),
    );
    const other = await client.send(requestOf('https://four.test/', { deadlineMs: 600 }));
    expect(other).toMatchObject({ outcome: 'address_refused' });
    expect(other.durationMs).toBeLessThan(300);
    for (const result of await Promise.all(stuck)) {
      expect(brief(result)).toEqual({ outcome: 'timeout', status: 0, sent: false });
      expect(result.durationMs).toBeLessThan(900);
    }
  });
});
