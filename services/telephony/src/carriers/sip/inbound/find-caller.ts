import { type Cidr, isInside, parseAddress } from '@parley/kit/outbound';
import type { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { terminationHost } from '../../../numbers/trunk-of.ts';
import type { Trunk } from '../trunk.ts';
import { type Digest, type DigestResponse, provesCredentials } from './digest.ts';
import type { AddressesOf } from './trunk-addresses.ts';

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

/** Who called which number. */
type Caller =
  | { type: 'known'; called: CalledTrunk }
  /** The caller has not shown that it may call. */
  | { type: 'unknown'; challenge: string }
  /** It has answered a challenge, by credentials that don't let this call in. */
  | { type: 'refused' };

/** Where a request came from. */
export type Source = { address: string; transport: string };

export type FindCaller = (message: IncomingRequestMessage, source: Source) => Promise<Caller>;

/** A network that trunks at `host`, or below it, call from: of a provider whose names don't resolve to all its addresses. */
export type TrunkNetwork = { host: string; network: Cidr };

type Deps = {
  findTrunks: FindTrunks;
  addressesOf: AddressesOf;
  digest: Digest;
  networks?: readonly TrunkNetwork[] | undefined;
};

/**
 * Matches a call by its trunk first, then by the called number [numbers.5]: by the trunk's credentials if it has any,
 * otherwise by the address it comes from, which must be one of the trunk's or of its provider's networks; in both cases by TLS if the trunk
 * uses it.
 * Of several trunks that an address belongs to, the first decides, so that a later claim to the number takes no calls of the earlier one:
 * a call without credentials is challenged if that trunk has some, and one that doesn't come by TLS if that trunk uses it.
 * An unknown source gets the same challenge whatever number is called, and the same refusal of wrong credentials.
 */
export function createFindCaller({ findTrunks, addressesOf, digest, networks = [] }: Deps): FindCaller {
  const isOfProvider = (trunkHost: string, address: string): boolean => {
    const from = parseAddress(address);
    const name = `.${terminationHost(trunkHost)}`;
    return (
      from !== undefined &&
      networks.some(({ host, network }) => name.endsWith(`.${host}`) && isInside(from, network))
    );
  };

  const isAddressOf = async ({ trunk }: CalledTrunk, address: string): Promise<boolean> =>
    isOfProvider(trunk.host, address) || (await addressesOf(trunk)).includes(address);

  const lacksTls = ({ trunk }: CalledTrunk, { transport }: Source): boolean =>
    trunk.transport === 'tls' && transport !== 'tls';

  /** Whether a call needs more than its address to be of the trunk. */
  const requiresMore = (called: CalledTrunk, source: Source): boolean =>
    called.trunk.credentials !== null || lacksTls(called, source);

  /** The first trunk at the address; undefined if there is none, or if it or an earlier one at its host requires credentials or TLS. */
  const findByAddress = async (trunks: readonly CalledTrunk[], source: Source) => {
    const lookUps = trunks.map((called) => isAddressOf(called, source.address));
    for (const [n, called] of trunks.entries()) {
      if (!(await lookUps[n])) continue;
      // Another transport or port may resolve to other addresses of the same carrier.
      const ofHost = trunks
        .slice(0, n + 1)
        .filter(({ trunk }) => terminationHost(trunk.host) === terminationHost(called.trunk.host));
      return ofHost.some((each) => requiresMore(each, source)) ? undefined : called;
    }
    return undefined;
  };

  return async (message, source) => {
    const number = calledNumberOf(message);
    const trunks = number === undefined ? [] : await findTrunks(number);
    const response = digest.read(message.getHeader('authorization'), source.address);
    const isProof = response !== undefined && response !== 'stale' && isAbout(response, message);
    const proven = trunks.find(
      (called) =>
        isProof &&
        called.trunk.credentials &&
        !lacksTls(called, source) &&
        provesCredentials(response, message.method, called.trunk.credentials),
    );
    const isReplay = isProof && proven && !digest.use(response, `${message.callId} ${message.fromTag}`);
    if (proven && !isReplay) return { type: 'known', called: proven };
    // The oldest first, unless the operator has deactivated a number because it is not its workspace's own.
    const activeFirst = [...trunks].sort((one, other) => Number(other.isActive) - Number(one.isActive));
    const called = await findByAddress(activeFirst, source);
    if (called) return { type: 'known', called };
    if (response && response !== 'stale' && !isReplay) return { type: 'refused' };
    return { type: 'unknown', challenge: digest.challenge(source.address, response !== undefined) };
  };
}

/** The number that is called, however it is written. Undefined: none. */
export function calledNumberOf({
  ruri,
  to,
}: Pick<IncomingRequestMessage, 'ruri' | 'to'>): string | undefined {
  return e164Of(ruri?.user) ?? e164Of(to.uri.user);
}

/** Whether a digest was made for the number that is called. Some callers leave the user out of its URI, which RFC 3261 (22.4) allows. */
function isAbout({ uri }: DigestResponse, { ruri, to }: IncomingRequestMessage): boolean {
  const user = /^sips?:([^@;?]+)@/i.exec(uri)?.[1];
  const number = e164Of(user);
  return (
    user === undefined ||
    [ruri?.user, to.uri.user].some((of) => of === user || (number !== undefined && e164Of(of) === number))
  );
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
