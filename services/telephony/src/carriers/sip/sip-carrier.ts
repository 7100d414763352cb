import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { HostGuard } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import { createTicker, createUdpTransport } from '@parley/media';
import { mediaClock } from '../../speech/media-clock.ts';
import type { LegEvent, NumberConnection } from '../call-control.ts';
import type { Carrier } from '../carrier.ts';
import type { SipCodec } from '../carrier-names.ts';
import { createListeners } from '../listeners.ts';
import { createDigest } from './inbound/digest.ts';
import { keepRegistered } from './inbound/edge-registration.ts';
import { createFindCaller, type FindTrunks } from './inbound/find-caller.ts';
import { openFrontDoor } from './inbound/front-door.ts';
import { createTakeCall } from './inbound/take-call.ts';
import { cancelLeg } from './legs/cancel-leg.ts';
import type { LegDeps } from './legs/leg-body.ts';
import { type LegState, readLegState } from './legs/leg-state.ts';
import { dialLeg } from './legs/outbound-leg.ts';
import { hangUpStored, resumeLeg } from './legs/resume-leg.ts';
import { mediaOf, type SipLeg, sendKeys } from './legs/sip-leg.ts';
import { createLegMedia } from './media/leg-media.ts';
import type { Listener } from './signalling/connections.ts';
import { createFindRoute } from './signalling/find-route.ts';
import { createPingTrunk, type PingTrunk } from './signalling/ping-trunk.ts';
import { createSignalling } from './signalling/signalling.ts';
import type { TraceSink } from './trace.ts';
import { resumeBridge, type Transfer, transferLeg } from './transfers/transfer-leg.ts';
import { trunkOfConnection, trunkOfDestination } from './trunk.ts';

const SIP = 'sip';

export type SipCarrier = Carrier & { ping: PingTrunk };

export type SipSettings = {
  workerId: string;
  /** The WebSocket of the edge; without it trunks are spoken to directly. */
  edgeUrl: string | undefined;
  listeners: readonly Listener[];
  /** The address in Contact, and in session descriptions; by default that of the connection. */
  publicHost: string | undefined;
  mediaAddress: string | undefined;
  /** What the ports of audio are bound to. */
  bindAddress: string;
  rtpPorts: { min: number; max: number };
  codecs: readonly SipCodec[];
  ca?: readonly string[] | undefined;
  digestSecret: string;
  /** Legs that this process carries at most, calls that ring included. */
  maxLegs: number;
};

export type SipDeps = {
  settings: SipSettings;
  guard: HostGuard;
  /** Whether audio may be sent to an address that a far end names. */
  isAllowedAddress(address: string): boolean;
  findTrunks: FindTrunks;
  /** The number that the call is with on our side, and how it is connected. */
  findOwnNumber(callId: string): Promise<{ number: string; connection: NumberConnection }>;
  saveState(callId: string, state: LegState): Promise<void>;
  readState(callId: string): Promise<unknown>;
  freeShare(): number;
  trace: TraceSink;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
};

/** A trunk that can't be reached for this long has lost the leg. Real time. */
const RESUME_TIMEOUT_MS = 30_000;
/** For sessions that attach late. */
const FORGET_AFTER_MS = 60_000;

/** The room of a call, which is its identifier at the carrier [calls.9]. */
const roomOf = (callId: string): string => `call-${callId}`;

/** Calls over SIP trunks [sip.1]. A leg is a dialog, which another worker can continue by what is stored of it [sip.14]. */
export function createSipCarrier(deps: SipDeps): SipCarrier {
  const { settings, guard, clock, log, lifecycle } = deps;
  const { edgeUrl, rtpPorts, mediaAddress, codecs, bindAddress } = settings;
  const listeners = createListeners();
  const legs = new Map<string, SipLeg>();
  /** Calls whose leg is being set up. */
  const dialling = new Set<string>();
  const transfers = new Map<string, Transfer>();
  const resumeFailedAtMs = new Map<string, number>();
  const ticker = createTicker(mediaClock, (err) => log.error({ err }, 'audio of a SIP call failed'));
  const signalling = createSignalling({ ...settings, trace: deps.trace, clock, log, lifecycle });
  const findRoute = createFindRoute({ guard, hasEdge: edgeUrl !== undefined });

  const openMedia: LegDeps['openMedia'] = async ({ localAddress, isSecure }) => {
    const transport = await createUdpTransport({
      address: bindAddress,
      ports: rtpPorts,
      random: Math.random,
    });
    const address = mediaAddress ?? localAddress;
    const { isAllowedAddress } = deps;
    return createLegMedia({ transport, address, codecs, isSecure, isAllowedAddress, ticker });
  };

  const forget = (callId: string): void => {
    transfers.get(callId)?.stop();
    transfers.delete(callId);
    legs.delete(callId);
  };

  const emitOf =
    (callId: string) =>
    (event: LegEvent): void => {
      if (event.type === 'ended') {
        transfers.get(callId)?.stop();
        const leg = legs.get(callId);
        setTimeout(() => {
          if (legs.get(callId) === leg) forget(callId);
        }, FORGET_AFTER_MS).unref();
      }
      listeners.emit(callId, event);
    };

  const legDeps = (callId: string): LegDeps => ({
    signalling,
    openMedia,
    now: clock.now,
    log: log.child({ callId }),
    emit: emitOf(callId),
    saveState: (state) => deps.saveState(callId, state),
  });

  const endedAtOnce = (
    callId: string,
    end: Pick<Extract<LegEvent, { type: 'ended' }>, 'cause' | 'provider'>,
  ): void =>
    // After the session has noted that the dial left.
    queueMicrotask(() =>
      listeners.emit(callId, {
        type: 'ended',
        legId: roomOf(callId),
        at: clock.now(),
        answeredAt: null,
        machine: false,
        ...end,
      }),
    );

  const resume = async (callId: string, stored: LegState): Promise<void> => {
    const { leg: state, bridged } = stored;
    const legId = roomOf(callId);
    if (state.phase === 'inviting') {
      await cancelLeg({ signalling, log }, callId, state);
      endedAtOnce(callId, {
        cause: 'lost',
        provider: { code: null, text: 'Its worker stopped while it rang' },
      });
      return;
    }
    const leg = await resumeLeg(legDeps(callId), { callId, legId, state });
    legs.set(callId, leg);
    if (bridged?.phase === 'inviting') await cancelLeg({ signalling, log }, callId, bridged);
    if (bridged?.phase !== 'established' || leg.body.facts.isEnded) return;
    const onEvent = (event: LegEvent): void => {
      if (event.type !== 'ended' || leg.body.facts.isEnded) return;
      leg.body.dialog()?.bye();
      leg.body.end('transferred');
    };
    const own = { ...legDeps(callId), emit: onEvent, saveState: async () => {} };
    const target = await resumeLeg(own, { callId, legId, state: bridged });
    resumeBridge(leg, target);
    transfers.set(callId, { target: () => target, isBridged: () => true, stop: target.hangup });
  };

  const attach = async (callId: string, stored: unknown): Promise<boolean> => {
    const here = legs.get(callId);
    if (here) {
      here.body.facts.replay();
      return true;
    }
    const state = readLegState(stored);
    if (!state) return false;
    try {
      await resume(callId, state);
      resumeFailedAtMs.delete(callId);
    } catch (err) {
      const sinceMs = resumeFailedAtMs.get(callId) ?? mediaClock.nowMs();
      resumeFailedAtMs.set(callId, sinceMs);
      if (mediaClock.nowMs() - sinceMs < RESUME_TIMEOUT_MS) throw err;
      resumeFailedAtMs.delete(callId);
      endedAtOnce(callId, {
        cause: 'lost',
        provider: { code: null, text: 'The trunk could not be reached' },
      });
    }
    return true;
  };

  return {
    name: SIP,
    capabilities: { transfer: true, takeover: 'reattach', media: 'audio', endsLostLegs: true },
    watch: listeners.watch,
    media: (callId) => {
      const leg = legs.get(callId);
      // The party talks to the target of its transfer.
      return leg && !transfers.get(callId)?.isBridged() ? mediaOf(leg) : undefined;
    },
    ping: createPingTrunk(signalling, findRoute),

    originate: async ({ reference, from, to, ringTimeoutMs, openConnection }) => {
      const legId = roomOf(reference);
      const trunk = trunkOfConnection(await openConnection());
      const request = { callId: reference, legId, sipCallId: reference, trunk, from, to, ringTimeoutMs };
      dialling.add(reference);
      const dialled = await dialLeg({ ...legDeps(reference), findRoute }, request).catch((err: unknown) => {
        dialling.delete(reference);
        throw err;
      });
      // It may have been detached or hung up meanwhile.
      const isWanted = dialling.delete(reference);
      if (!('leg' in dialled)) endedAtOnce(reference, dialled);
      else if (isWanted) legs.set(reference, dialled.leg);
      else dialled.leg.hangup();
      return { legId };
    },

    receive: (listener, listening) => {
      const digest = createDigest({ secret: settings.digestSecret, nowMs: () => clock.realNow().getTime() });
      const takeCall = createTakeCall({
        legs,
        legDeps,
        listener,
        isFull: () => listening.signal.aborted || legs.size >= settings.maxLegs,
        log,
      });
      openFrontDoor({
        signalling,
        findCaller: createFindCaller({ findTrunks: deps.findTrunks, guard, digest }),
        onCall: takeCall,
        log,
      });
      signalling.listen().catch((err: unknown) => log.error({ err }, 'SIP could not be listened for'));
      const { workerId } = settings;
      if (edgeUrl !== undefined)
        keepRegistered({ signalling, workerId, freeShare: deps.freeShare, log, lifecycle: listening });
    },

    answer: async (callId) => legs.get(callId)?.answer(),
    reject: async (callId) => legs.get(callId)?.reject(),
    attach: (callId, { state }) => attach(callId, state),

    detach: (callId) => {
      dialling.delete(callId);
      const leg = legs.get(callId);
      if (leg && !leg.body.facts.isEnded) {
        // The bridge moves with the call.
        transfers.get(callId)?.target()?.body.release();
        transfers.delete(callId);
        leg.body.release();
      }
      forget(callId);
    },

    hangup: async (callId) => {
      if (dialling.delete(callId)) return;
      const leg = legs.get(callId);
      if (leg) return leg.hangup();
      // A leg of a dead worker that no other continues.
      const state = readLegState(await deps.readState(callId));
      if (state) await hangUpStored({ signalling, log }, callId, state);
    },

    settled: async (callId) => legs.get(callId)?.settled(),

    transfer: async (request) => {
      const leg = legs.get(request.reference);
      if (!leg?.body.dialog()) throw new Error('The leg is not answered, or not here');
      const { number, connection } = await deps.findOwnNumber(request.reference);
      const trunk = trunkOfConnection(connection);
      const callId = request.reference;
      const transfer = transferLeg(
        {
          targetUri: async (destination) =>
            destination.startsWith('sip') ? destination : `sip:${destination}@${trunk.host}`,
          dial: (destination, ringTimeoutMs, { emit, saveState }) =>
            dialLeg(
              {
                ...legDeps(callId),
                findRoute,
                emit,
                saveState: ({ leg: state }) => saveState(state),
              },
              {
                callId,
                legId: roomOf(callId),
                sipCallId: `${callId}-${request.transferId}`,
                trunk: trunkOfDestination(destination) ?? trunk,
                from: number,
                to: destination,
                ringTimeoutMs,
              },
            ),
          onFailure: (err) => log.warn({ err, callId }, 'a transfer failed'),
        },
        leg,
        request,
      );
      transfers.set(callId, transfer);
    },

    sendDigits: async (callId, digits) => {
      const leg = legs.get(callId);
      if (!leg) throw new Error('The leg is not in this process');
      await sendKeys(leg, digits);
    },

    sendSms: async () => ({ refused: 'A SIP trunk carries no text messages' }),
  };
}
