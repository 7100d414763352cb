import { Resolver as DnsResolver } from 'node:dns/promises';
import { createHostsFile } from './hosts-file.ts';

/** All addresses of a name, IPv4 first. Rejects, or answers with none, when it has none. */
export type Resolver = (name: string) => Promise<readonly string[]>;

const OPTIONS = { timeout: 2000, tries: 2 };

/**
 * Asks DNS itself: `dns.lookup` would queue on the four threads that files and cryptography share, so that one name
 * server which doesn't answer would hold up everything else of the process (D8.8). Those who ask for a name while it
 * is being asked for share the answer; no answer outlives its question.
 */
export function createResolver(servers?: readonly string[]): Resolver {
  const dns = new DnsResolver(OPTIONS);
  if (servers) dns.setServers(servers);
  const hostsFile = createHostsFile();
  const underWay = new Map<string, Promise<readonly string[]>>();

  const ask = async (name: string): Promise<readonly string[]> => {
    const known = await hostsFile(name);
    if (known.length > 0) return known;
    const [v4, v6] = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };

  return (name) => {
    const shared = underWay.get(name);
    if (shared) return shared;
    const asking = ask(name).finally(() => underWay.delete(name));
    underWay.set(name, asking);
    return asking;
  };
}
