import { type Cidr, isInside, parseAddress } from '@parley/kit/outbound';
import type { IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { terminationHost } from '../../../numbers/trunk-of.ts';
import { e164Of } from '../signalling/called-number.ts';
import type { Trunk } from '../trunk.ts';
import { type Digest, type DigestResponse, provesCredentials } from './digest.ts';
import type { AddressesOf } from './trunk-addresses.ts';

/** The called number and its trunk. */
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

/** The result of matching a call. */
type Caller =
  | { type: 'known'; called: CalledTrunk }
  /** The caller has not authenticated. */
  | { type: 'unknown'; challenge: string }
  /** Its credentials are wrong for this call. */
  | { type: 'refused' };

/** Where a request came from. */
export type Source = { address: string; transport: string };

export type FindCaller = (message: IncomingRequestMessage, source: Source) => Promise<Caller>;

/** A network of a provider whose names don't resolve to all its addresses: trunks at `host` or a subdomain call from it. */
export type TrunkNetwork = { host: string; network: Cidr };

type Deps = {
  findTrunks: FindTrunks;
  addressesOf: AddressesOf;
  digest: Digest;
  networks?: readonly TrunkNetwork[] | undefined;
};

/**
 * Matches a call by its trunk first, then by the called number [numbers.5]. A trunk with credentials is matched by these; any other by the
 * address of the source, which must be one of the trunk's or in its provider's networks. If the trunk uses TLS, so must the call.
 * If an address belongs to several trunks, the first one decides, so that a later claim to the number gets no calls of the earlier one:
 * a call without credentials is challenged if that trunk has some, as is one without TLS if that trunk uses TLS.
 * Challenges and refusals of unknown sources do not depend on the called number.
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

  /** Whether the address alone does not match a call to the trunk. */
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
    // The oldest first. An operator deactivates a number that its workspace does not own.
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

/** Whether a digest was made for the called number. Some callers omit the user in its URI, which RFC 3261 (22.4) allows. */
function isAbout({ uri }: DigestResponse, { ruri, to }: IncomingRequestMessage): boolean {
  const user = /^sips?:([^@;?]+)@/i.exec(uri)?.[1];
  const number = e164Of(user);
  return (
    user === undefined ||
    [ruri?.user, to.uri.user].some((of) => of === user || (number !== undefined && e164Of(of) === number))
  );
}
