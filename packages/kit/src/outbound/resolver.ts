import { Resolver as DnsResolver } from 'node:dns/promises';
import { createHostsFile } from './hosts-file.ts';

/** Resolves a name to all of its addresses, IPv4 first. Rejects or returns an empty list if it has none. */
export type Resolver = (name: string) => Promise<readonly string[]>;

const OPTIONS = { timeout: 2000, tries: 2 };

/**
 * Queries DNS directly: `dns.lookup` would occupy the four threads that files and cryptography share, so that one slow name server would
 * block the process [webhooks.16]. Concurrent queries of a name are shared; nothing is cached.
 */
export function createResolver(servers?: readonly string[]): Resolver {
  const dns = new DnsResolver(OPTIONS);
  if (servers) dns.setServers(servers);
  const hostsFile = createHostsFile();
  const pending = new Map<string, Promise<readonly string[]>>();

  const query = async (name: string): Promise<readonly string[]> => {
    const known = await hostsFile(name);
    if (known.length > 0) return known;
    const [v4, v6] = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  };

  return (name) => {
    const shared = pending.get(name);
    if (shared) return shared;
    const result = query(name).finally(() => pending.delete(name));
    pending.set(name, result);
    return result;
  };
}
