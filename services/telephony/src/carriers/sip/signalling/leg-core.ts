import {
  DigestAuthentication,
  Grammar,
  IncomingRequestMessage,
  type InviteUserAgentServer,
  type URI,
  UserAgentCore,
} from 'sip.js/lib/core/index.js';
import type { SipConnection } from './connection.ts';
import type { Flow } from './flow.ts';
import { type ParsedMessage, silentLoggers } from './parse.ts';

export const USER_AGENT = 'Parley';

/** SIP's transactions and dialogs of one leg. Each leg has its own, so that credentials and ways never mix. */
export type LegCore = {
  readonly core: UserAgentCore;
  receive(message: ParsedMessage, connection: SipConnection): void;
  dispose(): void;
};

export type LegCoreOptions = {
  flow: Flow;
  /** The user part of our address, to which the far end sends. */
  user: string;
  credentials: { username: string; password: string } | null;
  onInvite?: (server: InviteUserAgentServer) => void;
};

/** Extensions: reliable provisional responses (RFC 3262), session timers (RFC 4028), transfers (RFC 3891 is not). */
const SUPPORTED = ['100rel', 'timer'];

export function createLegCore({ flow, user, credentials, onInvite }: LegCoreOptions): LegCore {
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
      authenticationFactory: () =>
        credentials
          ? new DigestAuthentication(silentLoggers, undefined, credentials.username, credentials.password)
          : undefined,
      transportAccessor: () => ({ protocol: flow.protocol, send: flow.send }),
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
      core.receiveIncomingRequestFromTransport(message);
    },
    dispose: () => core.dispose(),
  };
}

/** Throws if the text is no SIP URI. */
export function toUri(text: string): URI {
  const uri = Grammar.URIParse(text);
  if (!uri) throw new Error('Not a SIP URI');
  return uri;
}
