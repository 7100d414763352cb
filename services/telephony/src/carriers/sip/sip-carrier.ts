import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { HostGuard } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import { createTicker, createUdpTransport, withErrorHandler } from '@parley/media';
import { mediaClock } from '../../speech/media-clock.ts';
import type { NumberConnection, ProviderCause } from '../call-control.ts';
import type { Carrier } from '../carrier.ts';
import type { SipCodec } from '../carrier-names.ts';
import { createListeners } from '../listeners.ts';
import { createDigest } from './inbound/digest.ts';
import { keepRegistered } from './inbound/edge-registration.ts';
import { createFindCaller, type FindTrunks, type TrunkNetwork } from './inbound/find-caller.ts';
import { receiveRequests } from './inbound/receive-requests.ts';
import { createTakeCall } from './inbound/take-call.ts';
import { createTrunkAddresses } from './inbound/trunk-addresses.ts';
import { hangUpCall } from './legs/hang-up-stored.ts';
import { type LegState, readLegState } from './legs/leg-state.ts';
import { closeRoute, openRoute } from './legs/open-route.ts';
import { type Dialed, dialLeg } from './legs/outbound-leg.ts';
import { createPreparedDials } from './legs/prepared-dials.ts';
import { mediaOf, sendKeys } from './legs/sip-leg.ts';
import { createTakeOver } from './legs/take-over.ts';
import { createLocalCalls, legIdOf, type OpenMedia } from './local-calls.ts';
import { createLegMedia } from './media/leg-media.ts';
import { createFindRoute } from './signalling/find-route.ts';
import type { Listener } from './signalling/incoming-connections.ts';
import { createLookUpSrv, type LookUpSrv } from './signalling/locate-servers.ts';
import { createPingTrunk, type PingTrunk } from './signalling/ping-trunk.ts';
import { createResolveTrunk } from './signalling/resolve-trunk.ts';
import { createSignalling } from './signalling/signalling.ts';
import type { SipMetrics } from './sip-metrics.ts';
import type { TraceSink } from './trace.ts';
import { createTransferCall } from './transfers/transfer-call.ts';
import { trunkOfConnection } from './trunk.ts';

const SIP = 'sip';

export type SipCarrier = Carrier & {
  ping: PingTrunk;
  /** Replaces the addresses of all trunks, each with their workspaces: their requests outside of calls get a response. */
  knowTrunks(owners: ReadonlyMap<string, ReadonlySet<string>>): void;
};

export type SipSettings = {
  workerId: string;
  /** The WebSockets of the edges; if empty, trunks are connected directly. */
  edgeUrls: readonly string[];
  listeners: readonly Listener[];
  /** The address in Contact, and in session descriptions; by default that of the connection. */
  publicHost: string | undefined;
  mediaAddress: string | undefined;
  /** The local address of the audio ports. */
  bindAddress: string;
  rtpPorts: { min: number; max: number };
  codecs: readonly SipCodec[];
  ca?: readonly string[] | undefined;
  digestSecret: string;
  /** Networks that trunks without credentials call from, besides their own addresses. */
  trunkNetworks?: readonly TrunkNetwork[];
  /** Includes calls that ring. */
  maxLegs: number;
};

export type SipDeps = {
  settings: SipSettings;
  guard: HostGuard;
  /** Replaces DNS in tests. */
  lookUpSrv?: LookUpSrv;
  /** Whether audio may be sent to an address that a far end names. */
  isAllowedAddress(address: string): boolean;
  findTrunks: FindTrunks;
  /** Our number in the call, and its connection. */
  findOwnNumber(callId: string): Promise<{ number: string; connection: NumberConnection }>;
  saveState(callId: string, state: LegState): Promise<void>;
  readState(callId: string): Promise<unknown>;
  /** How many more calls this worker may carry. */
  freeCalls(): number;
  metrics: SipMetrics;
  trace: TraceSink;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
};

const NOT_PLACED: ProviderCause = { code: null, text: 'Parley could not place the call' };

/** Calls over SIP trunks [sip.1]. A leg is a dialog, which another worker can continue from its stored state [sip.14]. */
export function createSipCarrier(deps: SipDeps): SipCarrier {
  const { settings, guard, metrics, freeCalls, clock, log, lifecycle } = deps;
  const { edgeUrls, rtpPorts, mediaAddress, codecs, bindAddress } = settings;
  const listeners = createListeners();
  /** Calls whose leg is being set up. */
  const dialing = new Set<string>();
  let trunkOwners: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  const ticker = createTicker(mediaClock, (err) => log.error({ err }, 'audio of a SIP call failed'));
  const { trace } = deps;
  const signalling = createSignalling({
    ...settings,
    ownersOf: (address) => trunkOwners.get(address) ?? new Set(),
    onDropped: metrics.refused,
    trace,
    clock,
    log,
    lifecycle,
  });
  const { lookUpSrv = createLookUpSrv() } = deps;
  const resolveTrunk = createResolveTrunk({ guard, lookUpSrv });
  const findRoute = createFindRoute({ resolveTrunk, hasEdge: edgeUrls.length > 0 });

  const openMedia: OpenMedia = async (callId, { localAddress, ...options }) => {
    const transport = await createUdpTransport({
      address: bindAddress,
      ports: rtpPorts,
      random: Math.random,
    });
    const address = mediaAddress ?? localAddress;
    const { isAllowedAddress } = deps;
    const own = withErrorHandler(ticker, (err) => log.error({ err, callId }, 'audio of a SIP call failed'));
    return createLegMedia({ ...options, transport, address, codecs, isAllowedAddress, ticker: own });
  };

  const calls = createLocalCalls({
    signalling,
    openMedia,
    saveState: deps.saveState,
    findOwnNumber: deps.findOwnNumber,
    listeners,
    metrics,
    clock,
    log,
  });
  const { legs, transfers, legDeps, endedAtOnce, forget } = calls;

  const prepared = createPreparedDials(async ({ reference, from, to, ringTimeoutMs, openConnection }) => {
    const trunk = trunkOfConnection(await openConnection());
    const legId = legIdOf(reference);
    const request = { callId: reference, legId, sipCallId: reference, trunk, from, to, ringTimeoutMs };
    return { request, opened: await openRoute({ ...legDeps(reference), findRoute }, request) };
  });
  lifecycle.onStop('prepared SIP calls', prepared.stop);

  const takeOver = createTakeOver(calls);

  return {
    name: SIP,
    capabilities: { transfer: true, takeover: 'reattach', media: 'audio', endsSilentLegs: true },
    watch: listeners.watch,
    media: (callId) => {
      const leg = legs.get(callId);
      // The party talks to the target of its transfer.
      return leg && !transfers.get(callId)?.isBridged() ? mediaOf(leg) : undefined;
    },
    ping: createPingTrunk(signalling, findRoute),

    knowTrunks: (owners) => {
      trunkOwners = owners;
    },

    prepare: prepared.prepare,

    originate: async (given) => {
      const { reference, isTooLate } = given;
      const legId = legIdOf(reference);
      const mayLeave = (): boolean => dialing.has(reference) && !isTooLate();
      // From now on it may be detached or hung up at any time.
      dialing.add(reference);
      metrics.began(reference, 'outbound');
      try {
        const { request, opened } = await prepared.take(given);
        let dialed: Dialed = { isHeldBack: true };
        if (mayLeave())
          dialed = await dialLeg({ ...legDeps(reference), findRoute }, { ...request, mayLeave }, opened);
        else closeRoute(opened);
        if ('leg' in dialed) {
          if (dialing.has(reference)) legs.set(reference, dialed.leg);
          else dialed.leg.hangup();
        } else if (!dialing.has(reference)) endedAtOnce(reference, { cause: 'local' });
        else if ('cause' in dialed) endedAtOnce(reference, dialed);
        else {
          metrics.dropped(reference);
          return { legId, isSent: false };
        }
      } catch (err) {
        // Before anything was sent: the connection of the number could not be read, or no port was free.
        log.warn({ err, callId: reference }, 'a SIP call could not be placed');
        endedAtOnce(reference, { cause: 'transient', provider: NOT_PLACED });
      } finally {
        dialing.delete(reference);
      }
      return { legId, isSent: true };
    },

    receive: (listener, listening) => {
      const digest = createDigest({ secret: settings.digestSecret, nowMs: () => clock.realNow().getTime() });
      const takeCall = createTakeCall({
        legs,
        legDeps,
        listener,
        freeCalls: () => (listening.signal.aborted || legs.size >= settings.maxLegs ? 0 : freeCalls()),
        log,
      });
      receiveRequests({
        signalling,
        findCaller: createFindCaller({
          findTrunks: deps.findTrunks,
          addressesOf: createTrunkAddresses({ guard, lookUpSrv }),
          digest,
          networks: settings.trunkNetworks,
        }),
        isTrunkAddress: (address) => trunkOwners.has(address),
        onCall: async (call) => {
          const isNew = !legs.has(call.reference);
          if (isNew) metrics.began(call.reference, 'inbound');
          const refused = await takeCall(call);
          if (isNew && refused !== undefined) metrics.dropped(call.reference);
          return refused;
        },
        onRefused: metrics.refused,
        log,
      });
      signalling.listen().catch((err: unknown) => log.error({ err }, 'the SIP listener could not be opened'));
      const { workerId } = settings;
      if (edgeUrls.length > 0)
        keepRegistered({
          signalling,
          workerId,
          freeCalls,
          onEdges: metrics.edges,
          log,
          lifecycle: listening,
        });
    },

    answer: async (callId) => legs.get(callId)?.answer(),
    reject: async (callId) => legs.get(callId)?.reject(),
    attach: async (callId, { state }) => {
      const leg = legs.get(callId);
      if (!leg) return takeOver.attach(callId, state);
      leg.body.facts.replay();
      return true;
    },

    detach: (callId) => {
      dialing.delete(callId);
      takeOver.detach(callId);
      const leg = legs.get(callId);
      if (leg && !leg.body.facts.isEnded) {
        leg.body.release();
        // The bridge moves with the call.
        transfers.get(callId)?.release();
        transfers.delete(callId);
      }
      forget(callId);
    },

    hangup: async (callId) => {
      if (dialing.delete(callId)) return;
      const leg = legs.get(callId);
      if (leg) return leg.hangup();
      // The leg of a dead worker that no other worker has continued.
      const state = readLegState(await deps.readState(callId));
      if (state) await hangUpCall(calls, callId, state);
    },

    settled: async (callId) => {
      await legs.get(callId)?.settled();
      await calls.reported(callId);
    },

    transfer: createTransferCall({ calls, findRoute, findOwnNumber: deps.findOwnNumber }),

    sendDigits: async (callId, digits) => {
      const leg = legs.get(callId);
      if (!leg) throw new Error('The leg is not in this process');
      await sendKeys(leg, digits);
    },

    sendSms: async () => ({ refused: 'A SIP trunk carries no text messages' }),
  };
}
