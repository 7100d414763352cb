import { type Cidr, isInside, parseAddress } from '@parley/kit/outbound';
import { LRUCache } from 'lru-cache';
import type { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import type { ResolveTrunk } from '../signalling/resolve-trunk.ts';
import type { Trunk } from '../trunk.ts';
import { type Digest, provesCredentials } from './digest.ts';

/** A number of ours that has been called, and the trunk that it is connected by. */
export type CalledTrunk = {
  numberId: string;
  workspaceId: string;
  phoneNumber: string;
  /** False: the operator has deactivated it. */
  isActive: boolean;
  trunk: Trunk;
};

/** All numbers with these digits, the oldest first: different workspaces may have one on their own trunks [numbers.4]. */
export type FindTrunks = (phoneNumber: string) => Promise<readonly CalledTrunk[]>;

/** Who called which number; `challenge`: the caller has not shown that it may call. */
type Caller = { type: 'known'; called: CalledTrunk } | { type: 'unknown'; challenge: string };

/** Where a request came from. */
export type Source = { address: string; transport: string };

export type FindCaller = (message: IncomingRequestMessage, source: Source) => Promise<Caller>;

/** A network that trunks without credentials at `host`, or below it, call from: a provider's, of whom its names do not tell all addresses. */
export type TrunkNetwork = { host: string; network: Cidr };

type Deps = {
  findTrunks: FindTrunks;
  resolveTrunk: ResolveTrunk;
  digest: Digest;
  networks?: readonly TrunkNetwork[] | undefined;
};

const MAX_ADDRESSES = 1_000;
const ADDRESSES_MS = 30_000;

/**
 * Matches a call by its trunk first, then by the called number [numbers.5]: by the trunk's credentials if it has any,
 * otherwise by the address it comes from, which must be one of the trunk's or of its provider's networks, and by TLS if the trunk uses it.
 * An unknown source gets the same challenge whatever number is called.
 */
export function createFindCaller({ findTrunks, resolveTrunk, digest, networks = [] }: Deps): FindCaller {
  const addresses = new LRUCache<string, Promise<readonly string[]>>({
    max: MAX_ADDRESSES,
    ttl: ADDRESSES_MS,
  });

  const addressesOf = (trunk: Trunk): Promise<readonly string[]> => {
    const key = `${trunk.transport} ${trunk.host} ${trunk.port ?? ''}`;
    const known = addresses.get(key);
    if (known) return known;
    const found = resolveTrunk(trunk).then(
      (resolved) => ('refused' in resolved ? [] : resolved.targets.map(({ address }) => address)),
      () => [],
    );
    addresses.set(key, found);
    return found;
  };

  const isOfProvider = (trunkHost: string, address: string): boolean => {
    const from = parseAddress(address);
    const name = `.${trunkHost.toLowerCase()}`;
    return (
      from !== undefined &&
      networks.some(({ host, network }) => name.endsWith(`.${host}`) && isInside(from, network))
    );
  };

  const isAddressOf = async ({ trunk }: CalledTrunk, { address, transport }: Source): Promise<boolean> => {
    if (trunk.credentials || (trunk.transport === 'tls' && transport !== 'tls')) return false;
    return isOfProvider(trunk.host, address) || (await addressesOf(trunk)).includes(address);
  };

  return async (message, source) => {
    const number = e164Of(message.ruri?.user) ?? e164Of(message.to.uri.user);
    const trunks = number === undefined ? [] : await findTrunks(number);
    const response = digest.read(message.getHeader('authorization'), source.address);
    if (response)
      for (const called of trunks) {
        const { credentials } = called.trunk;
        if (credentials && provesCredentials(response, message.method, credentials))
          return { type: 'known', called };
      }
    // Two workspaces with the number on one host, both without credentials: it is that of the first, unless the operator has
    // deactivated it because the number is not its own.
    const activeFirst = [...trunks].sort((one, other) => Number(other.isActive) - Number(one.isActive));
    for (const called of activeFirst) if (await isAddressOf(called, source)) return { type: 'known', called };
    return { type: 'unknown', challenge: digest.challenge(source.address) };
  };
}

/** The number in the user part of a URI: `+1202…`, or the same without the plus. Undefined: it is none. */
export function e164Of(user: string | undefined): string | undefined {
  const [text = ''] = decoded(user ?? '').split(';', 1);
  const digits = /^\+?([1-9]\d{6,14})$/.exec(text.replace(/[-.() ]/g, ''))?.[1];
  return digits === undefined ? undefined : `+${digits}`;
}

function decoded(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    return '';
  }
}
