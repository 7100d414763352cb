import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

/** The WebSocket URL of an edge, with an address as its host, and the name that the certificate must have. */
export type Edge = { url: string; name: string };

/** The current edges. Never rejects: a name that can't be resolved keeps its last addresses. */
export type FindEdges = () => Promise<readonly Edge[]>;

type Lookup = (name: string) => Promise<readonly Pick<LookupAddress, 'address' | 'family'>[]>;

const RESOLVE_AFTER_MS = 5_000;

const lookupAll: Lookup = (name) => dns.lookup(name, { all: true });

/**
 * Every address of every URL is an edge of its own: a name may have several (a headless Service, for example), and they may change.
 * Without URLs there is no edge.
 */
export function createFindEdges(urls: readonly string[], lookup: Lookup = lookupAll): FindEdges {
  const known = new Map<string, readonly Edge[]>();
  let found: { edges: Promise<readonly Edge[]>; atMs: number } | undefined;

  const resolve = async (url: string): Promise<readonly Edge[]> => {
    const parsed = new URL(url);
    const name = parsed.hostname.replace(/^\[|\]$/g, '');
    if (isIP(name)) return [{ url: bare(parsed), name }];
    try {
      const addresses = await lookup(name);
      const edges = addresses.map(({ address, family }) => {
        parsed.hostname = family === 6 ? `[${address}]` : address;
        return { url: bare(parsed), name };
      });
      known.set(url, edges);
    } catch {
      // Its last addresses may still be right.
    }
    return known.get(url) ?? [];
  };

  return () => {
    const nowMs = performance.now();
    if (!found || nowMs - found.atMs > RESOLVE_AFTER_MS) {
      const edges = Promise.all(urls.map(resolve)).then((lists) => {
        const byUrl = new Map(lists.flat().map((edge) => [edge.url, edge]));
        return [...byUrl.values()].sort((one, other) => (one.url < other.url ? -1 : 1));
      });
      found = { edges, atMs: nowMs };
    }
    return found.edges;
  };
}

const bare = ({ href }: URL): string => href.replace(/\/$/, '');
