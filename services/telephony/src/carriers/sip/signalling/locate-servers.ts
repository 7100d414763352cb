import { NODATA, NOTFOUND } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { portOf, type Trunk } from '../trunk.ts';
import { createCachedLookUp } from './cached-look-up.ts';

/** One server of a trunk: a name or an address, and its port. */
type Server = { host: string; port: number };
export type SrvRecord = { name: string; port: number; priority: number; weight: number };
/** The SRV records of a name; none if it has none, or if the name servers fail and none are known. */
export type LookUpSrv = (name: string) => Promise<readonly SrvRecord[]>;

const DNS_OPTIONS = { timeout: 1_500, tries: 2 };
const SERVICES = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' } as const;

type SrvOptions = { resolveSrv?: LookUpSrv; nowMs?: () => number };

/** Queries DNS. A name without records has an empty list; if the name servers fail, known records stay in use. */
export function createLookUpSrv({ resolveSrv, nowMs }: SrvOptions = {}): LookUpSrv {
  const dns = new Resolver(DNS_OPTIONS);
  const resolve = resolveSrv ?? ((name) => dns.resolveSrv(name));
  const lookUp = createCachedLookUp((name) => resolve(name).catch(noneIfMissing), { nowMs });
  return async (name) => (await lookUp(name)) ?? [];
}

function noneIfMissing(err: unknown): readonly SrvRecord[] {
  const code = err instanceof Error && 'code' in err ? err.code : undefined;
  if (code === NOTFOUND || code === NODATA) return [];
  throw err;
}

/**
 * The servers of a trunk in the order in which they are tried (RFC 3263, 4.2; RFC 2782): those of its SRV records if its host is a name without a
 * port, otherwise the host itself. Its transport is given, so NAPTR records, which choose one, are not looked up.
 */
export async function locateServers(
  trunk: Pick<Trunk, 'host' | 'port' | 'transport'>,
  lookUpSrv: LookUpSrv,
  random: () => number,
): Promise<Server[]> {
  const { host, port, transport } = trunk;
  const itself = [{ host, port: portOf(trunk) }];
  const isName = isIP(host.replace(/^\[|\]$/g, '')) === 0 && !/^(.+\.)?localhost\.?$/i.test(host);
  if (port !== null || !isName) return itself;
  const records = await lookUpSrv(`${SERVICES[transport]}.${host}`);
  // The target "." means that the service is not offered (RFC 2782): the host is tried all the same.
  const usable = records.filter(({ name }) => name !== '' && name !== '.');
  if (usable.length === 0) return itself;
  return inOrder(usable, random).map((record) => ({ host: record.name, port: record.port }));
}

/** By priority; records of one priority in random order, by their weights. */
function inOrder(records: readonly SrvRecord[], random: () => number): SrvRecord[] {
  const left = [...records].sort((a, b) => a.priority - b.priority);
  const ordered: SrvRecord[] = [];
  while (left[0]) {
    const { priority } = left[0];
    const equals = left.filter((record) => record.priority === priority);
    const total = equals.reduce((sum, { weight }) => sum + weight, 0);
    let drawn = random() * total;
    const chosen = equals.find(({ weight }) => {
      drawn -= weight;
      return drawn < 0;
    });
    const next = chosen ?? left[0];
    left.splice(left.indexOf(next), 1);
    ordered.push(next);
  }
  return ordered;
}
