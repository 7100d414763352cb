import { readFile } from 'node:fs/promises';
import { monotonicMs } from '../time/index.ts';
import { parseAddress } from './ip-address.ts';

const PATH = '/etc/hosts';
const KEEP_MS = 1000;

export function parseHosts(text: string): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!parseAddress(address)) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      byName.set(key, [...(byName.get(key) ?? []), address]);
    }
  }
  return byName;
}

/** Looks names up in the hosts file, where container engines add their hosts. Read at most once a second. */
export function createHostsFile(path: string = PATH): (name: string) => Promise<string[]> {
  let reading = Promise.resolve(new Map<string, string[]>());
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<Map<string, string[]>> => {
    try {
      return parseHosts(await readFile(path, 'utf8'));
    } catch {
      return new Map(); // no hosts file
    }
  };
  return async (name) => {
    if (monotonicMs() - readAtMs > KEEP_MS) {
      readAtMs = monotonicMs();
      reading = read();
    }
    return (await reading).get(name.toLowerCase().replace(/\.$/, '')) ?? [];
  };
}
