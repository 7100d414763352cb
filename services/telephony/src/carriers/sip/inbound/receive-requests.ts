import { createHash } from 'node:crypto';
import type { Log } from '@parley/kit/log';
import { C, constructOutgoingResponse, type IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { TOO_OFTEN } from '../legs/session-timer.ts';
import { e164Of } from '../signalling/called-number.ts';
import type { SipConnection } from '../signalling/connection.ts';
import { SOURCE_HEADER } from '../signalling/edge.ts';
import { USER_AGENT } from '../signalling/leg-core.ts';
import type { Signalling } from '../signalling/signalling.ts';
import { createTokenBuckets } from '../signalling/token-bucket.ts';
import type { Refusal } from '../sip-metrics.ts';
import { usernameOf } from './digest.ts';
import { type CalledTrunk, calledNumberOf, type FindCaller, type Source } from './find-caller.ts';
import { createUnknownSources } from './unknown-sources.ts';

/** A call of a trunk to one of our numbers. */
export type IncomingCall = {
  /** Derived from the INVITE, so every worker that receives it gets the same one. */
  reference: string;
  called: CalledTrunk;
  from: string;
  message: IncomingRequestMessage;
  connection: SipConnection;
  isSecure: boolean;
  /** The address that it came from. */
  source: string;
  /** The leg exists and receives a CANCEL from now on. True: a CANCEL has already come. */
  begin(): boolean;
};

type Deps = {
  signalling: Signalling;
  findCaller: FindCaller;
  /** Whether trunks are known to have this address. */
  isTrunkAddress: (address: string) => boolean;
  /** Returns the status of a refusal, if the call isn't taken; 503: this worker has no capacity. */
  onCall: (call: IncomingCall) => Promise<number | undefined>;
  onRefused: (reason: Refusal) => void;
  log: Log;
};

/** The user part of From if the caller's number is unknown or withheld. */
const ANONYMOUS = 'anonymous';
const RETRY_LATER = ['Retry-After: 2'];
const NO_CAPACITY = 503;
const REFUSAL_HEADERS: Readonly<Record<number, string[]>> = {
  [NO_CAPACITY]: RETRY_LATER,
  [TOO_OFTEN.statusCode]: TOO_OFTEN.extraHeaders,
};
const MAX_PENDING = 1_000;
/** From one address, until the called workspace is known: several may share a carrier. */
const MAX_LOOK_UPS_OF_SOURCE = 50;
/** Of one called workspace, whose calls are stored one after the other: the rest is for other workspaces. */
const MAX_PENDING_OF_WORKSPACE = 250;
const CALLS_TO_NUMBER = { perSecond: 20, burst: 60, maxKeys: 10_000 };
const ALLOW = 'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, NOTIFY, PRACK, UPDATE';

/**
 * Handles incoming requests that belong to no leg. Only calls of trunks are accepted. An INVITE from any other address is challenged, wrong
 * credentials are refused, and other requests get no response. This does not depend on the called number, so that responses don't reveal
 * which numbers exist.
 */
export function receiveRequests({
  signalling,
  findCaller,
  isTrunkAddress,
  onCall,
  onRefused,
  log,
}: Deps): void {
  const unknown = createUnknownSources();
  /** INVITEs that have no leg yet, by branch; true: cancelled meanwhile. */
  const pending = new Map<string, boolean>();
  const lookUpsOf = new Map<string, number>();
  const limitOfNumbers = createTokenBuckets(CALLS_TO_NUMBER);

  const isKnown = (address: string): boolean => unknown.isTrusted(address) || isTrunkAddress(address);

  const reply = (
    connection: SipConnection,
    message: IncomingRequestMessage,
    statusCode: number,
    extraHeaders: string[] = [],
  ): void => {
    const options = { statusCode, extraHeaders, userAgent: USER_AGENT, supported: [] };
    if (connection.isOpen) connection.send(constructOutgoingResponse(message, options).message);
  };

  const begin = (branch: string): boolean => {
    const isCancelled = pending.get(branch) ?? false;
    pending.delete(branch);
    return isCancelled;
  };

  const pendingOfWorkspace = new Map<string, number>();
  const countPending = (counts: Map<string, number>, key: string, change: 1 | -1): void => {
    const count = (counts.get(key) ?? 0) + change;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  };

  const receiveInvite = async (message: IncomingRequestMessage, connection: SipConnection): Promise<void> => {
    const { address } = sourceOf(message, connection);
    const isTrusted = isKnown(address);
    const { viaBranch } = message;
    if (!isTrusted && !unknown.allows(address)) return onRefused('limited');
    if (pending.has(viaBranch)) return;
    if (pending.size >= MAX_PENDING || (lookUpsOf.get(address) ?? 0) >= MAX_LOOK_UPS_OF_SOURCE) {
      onRefused('limited');
      // Without a response a carrier waits half a minute before it tries another server.
      if (isTrusted) reply(connection, message, 503, RETRY_LATER);
      return;
    }
    pending.set(viaBranch, false);
    // Without a response the edge tries another worker and does not forward a CANCEL. The caller does not receive this response.
    if (connection.transport === 'ws') reply(connection, message, 100);
    await admit(message, connection).finally(() => pending.delete(viaBranch));
  };

  const admit = async (message: IncomingRequestMessage, connection: SipConnection): Promise<void> => {
    const source = sourceOf(message, connection);
    const { address, transport } = source;
    // One trunk must not be used to guess the password of another workspace's trunk.
    const authorization = message.getHeader('authorization');
    const guess = JSON.stringify([address, calledNumberOf(message), usernameOf(authorization)]);
    if (isKnown(address) && authorization !== undefined && unknown.isSilenced(guess)) {
      onRefused('limited');
      return reply(connection, message, 403);
    }
    countPending(lookUpsOf, address, 1);
    const caller = await findCaller(message, source).finally(() => countPending(lookUpsOf, address, -1));
    if (caller.type !== 'known') {
      // The edge has its own rules; without a response it would try another worker.
      const isStrange = connection.transport !== 'ws' && !isKnown(address);
      if (isStrange && unknown.isSilenced(address)) return onRefused('limited');
      onRefused('challenged');
      if (caller.type === 'refused') unknown.refused(guess);
      if (isStrange && caller.type === 'refused') unknown.refused(address);
      if (caller.type === 'refused') reply(connection, message, 403);
      else reply(connection, message, 401, [`WWW-Authenticate: ${caller.challenge}`]);
      return;
    }
    unknown.trust(address);
    signalling.connections.trust(connection, caller.called.workspaceId);
    if (pending.get(message.viaBranch)) return reply(connection, message, 487);
    const { called } = caller;
    const { numberId, workspaceId } = called;
    const isFull = (pendingOfWorkspace.get(workspaceId) ?? 0) >= MAX_PENDING_OF_WORKSPACE;
    if (isFull || !limitOfNumbers.take(numberId)) {
      onRefused('limited');
      return reply(connection, message, 503, RETRY_LATER);
    }
    countPending(pendingOfWorkspace, workspaceId, 1);
    const refused = await onCall({
      reference: referenceOf(called, message),
      called,
      from: callerOf(message),
      message,
      connection,
      isSecure: transport === 'tls',
      source: address,
      begin: () => begin(message.viaBranch),
    }).finally(() => countPending(pendingOfWorkspace, workspaceId, -1));
    if (refused === undefined) return;
    if (refused === NO_CAPACITY) onRefused('no_room');
    reply(connection, message, refused, REFUSAL_HEADERS[refused]);
  };

  signalling.onRequest((message, connection) => {
    const { address } = sourceOf(message, connection);
    // OPTIONS may come before the first call: some trunks only call servers that respond to it.
    const isTrusted =
      connection.transport === 'ws' || isKnown(address) || signalling.connections.isOwn(connection);
    if (isTrusted) signalling.connections.trust(connection);
    if (message.method === C.ACK) return;
    if (message.method === C.INVITE && !message.toTag) {
      receiveInvite(message, connection).catch((err: unknown) => {
        log.error({ err }, 'an inbound SIP call could not be taken');
        reply(connection, message, 503, RETRY_LATER);
      });
    } else if (message.method === C.CANCEL && pending.has(message.viaBranch)) {
      pending.set(message.viaBranch, true);
      reply(connection, message, 200);
    } else if (isTrusted && message.method === C.OPTIONS) reply(connection, message, 200, [ALLOW]);
    // It belongs to a leg that is over, or to another worker.
    else if (isTrusted && (message.toTag || message.method === C.CANCEL)) reply(connection, message, 481);
    else if (isTrusted) reply(connection, message, 405, [ALLOW]);
  });
}

function sourceOf(message: IncomingRequestMessage, { transport, remoteAddress }: SipConnection): Source {
  if (transport !== 'ws') return { address: remoteAddress, transport };
  const header = message.getHeader(SOURCE_HEADER) ?? '';
  const [, address = '', by = ''] =
    /^\[?([0-9a-fA-F.:]+?)\]?:\d{1,5}\s*;\s*transport=(\w+)$/.exec(header) ?? [];
  return { address, transport: by.toLowerCase() };
}

function referenceOf({ numberId }: CalledTrunk, { callId, fromTag }: IncomingRequestMessage): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([numberId, callId, fromTag]))
    .digest();
  // A UUID of version 8, whose other bits are free.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The number that the trunk asserts, otherwise that of From. */
function callerOf(message: IncomingRequestMessage): string {
  const asserted = /<?(?:sips?|tel):([^@>;]+)/.exec(message.getHeader('p-asserted-identity') ?? '')?.[1];
  return e164Of(asserted) ?? e164Of(message.from.uri.user) ?? ANONYMOUS;
}
