import { randomBytes } from 'node:crypto';
import {
  C,
  ClientTransaction,
  type Dialog,
  DigestAuthentication,
  Grammar,
  IncomingRequestMessage,
  type IncomingResponseMessage,
  type InviteUserAgentServer,
  type OutgoingRequestMessage,
  type URI,
  UserAgentClient,
  UserAgentCore,
} from 'sip.js/lib/core/index.js';
import type { SipConnection } from './connection.ts';
import type { Flow } from './flow.ts';
import { type ParsedMessage, silentLoggers } from './parse.ts';

export const USER_AGENT = 'Parley';

/** The transactions and dialogs of one leg. Each leg has its own, so that credentials and routes never mix. */
export type LegCore = {
  readonly core: UserAgentCore;
  receive(message: ParsedMessage, connection: SipConnection): void;
  dispose(): void;
};

export type LegCoreOptions = {
  flow: Flow;
  /** The user part of our Contact. */
  user: string;
  /** Called at each challenge. */
  credentials: () => { username: string; password: string } | null;
  onInvite?: (server: InviteUserAgentServer) => void;
  /** An UPDATE, which the library would refuse. */
  onUpdate?: (message: IncomingRequestMessage) => void;
  /** Called before an INVITE is sent, which it is not if this rejects. */
  beforeInvite?: (text: string) => Promise<void>;
};

/** SIP.js draws branches from ten million, too few for a busy process: a proxy takes two requests with one branch for the same. */
(ClientTransaction as unknown as { makeId(request: OutgoingRequestMessage): string }).makeId = (request) =>
  request.method === C.CANCEL && request.branch ? request.branch : `z9hG4bK${randomBytes(8).toString('hex')}`;

type Guard = (this: { core: UserAgentCore }, response: IncomingResponseMessage, dialog?: Dialog) => boolean;
const client = UserAgentClient.prototype as unknown as { authenticationGuard: Guard };
const { authenticationGuard } = client;
/** SIP.js repeats a challenged request of a dialog, except re-INVITE, with a CSeq number that the dialog's next request gets as well. */
client.authenticationGuard = function (response, dialog) {
  const { callId, fromTag, toTag } = response;
  return authenticationGuard.call(this, response, dialog ?? this.core.dialogs.get(callId + fromTag + toTag));
};

/** Reliable provisional responses (RFC 3262) and session timers (RFC 4028). */
const SUPPORTED = ['100rel', 'timer'];

export function createLegCore(options: LegCoreOptions): LegCore {
  const { flow, user, credentials, onInvite, onUpdate, beforeInvite } = options;
  const send = async (text: string): Promise<void> => {
    if (beforeInvite && text.startsWith('INVITE ')) await beforeInvite(text);
    await flow.send(text);
  };
  const uri = toUri(flow.contactUri(user));
  const core = new UserAgentCore(
    {
      aor: uri,
      contact: {
        uri,
        pubGruu: undefined,
        tempGruu: undefined,
        toString: () => `<${flow.contactUri(user)}>`,
      },
      displayName: '',
      loggerFactory: silentLoggers,
      hackViaTcp: false,
      routeSet: [],
      sipjsId: '',
      supportedOptionTags: SUPPORTED,
      supportedOptionTagsResponse: SUPPORTED,
      userAgentHeaderFieldValue: USER_AGENT,
      viaForceRport: true,
      viaHost: flow.viaHost(),
      authenticationFactory: () => {
        const known = credentials();
        return known
          ? new DigestAuthentication(silentLoggers, undefined, known.username, known.password)
          : undefined;
      },
      transportAccessor: () => ({ protocol: flow.protocol, send }),
    },
    onInvite ? { onInvite: (request) => onInvite(request as InviteUserAgentServer) } : {},
  );
  return {
    core,
    receive(message, connection) {
      if (!(message instanceof IncomingRequestMessage)) {
        core.receiveIncomingResponseFromTransport(message);
        return;
      }
      flow.arrived(message, connection);
      // A retransmission belongs to the library's transaction.
      if (onUpdate && message.method === C.UPDATE && !core.userAgentServers.has(message.viaBranch))
        return onUpdate(message);
      core.receiveIncomingRequestFromTransport(message);
    },
    dispose: () => core.dispose(),
  };
}

/** Throws if the text is not a SIP URI. */
export function toUri(text: string): URI {
  const uri = Grammar.URIParse(text);
  if (!uri) throw new Error('Not a SIP URI');
  return uri;
}
