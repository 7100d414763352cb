import { createDeferred } from '@parley/kit/concurrency';
import type { Log } from '@parley/kit/log';
import type { InviteUserAgentServer, SessionDialog, UserAgentCore } from 'sip.js/lib/core/index.js';
import { mediaClock } from '../../../speech/media-clock.ts';
import type { EndCause, LegEvent, ProviderCause } from '../../call-control.ts';
import type { LegMedia } from '../media/leg-media.ts';
import type { SipConnection } from '../signalling/connection.ts';
import type { Flow } from '../signalling/flow.ts';
import { createLegCore } from '../signalling/leg-core.ts';
import type { ParsedMessage } from '../signalling/parse.ts';
import type { Signalling } from '../signalling/signalling.ts';
import type { Credentials } from '../trunk.ts';
import { answerUpdate } from './answer-update.ts';
import { cancelOf } from './cancel-of.ts';
import { createDialog, type Dialog } from './dialog.ts';
import { dialogStateOf } from './dialog-state.ts';
import { createLegFacts, type LegFacts } from './leg-facts.ts';
import type { DialogState, EstablishedState, LegState, OneLegState } from './leg-state.ts';
import { hangUp } from './send-bye.ts';
import type { SessionTerms } from './session-timer.ts';
import { createStoredLeg, type StoredLeg } from './stored-leg.ts';

/** The dependencies of a leg. */
export type LegDeps = {
  signalling: Signalling;
  /** Ports for the audio of a leg; rejects if none is free. */
  openMedia(options: {
    localAddress: string;
    isSecure: boolean;
    peers: readonly string[];
    startedMsAgo?: number;
  }): Promise<LegMedia>;
  saveState(state: LegState): Promise<void>;
  /** The state is stored until the far end is gone, even after the end was reported: it is the target of a transfer. */
  outlivesEnd?: boolean;
  emit(event: LegEvent): void;
  now(): Date;
  log: Log;
};

type LegBodyOptions = {
  /** The call, for traces. */
  callId: string;
  legId: string;
  sipCallId: string;
  user: string;
  flow: Flow;
  media: LegMedia;
  /** Hosts that its signalling comes from; its audio may come from them too. */
  peers: readonly string[];
  /** For challenges of the far end; by default there are none. */
  credentials?: () => Credentials | null;
  /** Called before an INVITE that establishes the leg, which is not sent if this rejects. `stored`: resolves when the state is stored. */
  beforeInvite?: (stored: Promise<void>) => Promise<void>;
  /** Of an inbound leg: when it began, and the branch of its INVITE. */
  startedAt?: Date;
  branch?: string;
  onInvite?: (server: InviteUserAgentServer) => void;
  onClosed?: (connection: SipConnection) => void;
};

/** A leg in either direction, from its first message until its last possible one. */
export type LegBody = {
  readonly core: UserAgentCore;
  readonly facts: LegFacts;
  readonly flow: Flow;
  readonly media: LegMedia;
  readonly stored: StoredLeg;
  /** Undefined until it is answered. */
  dialog(): Dialog | undefined;
  /** The leg is answered; `session` is its dialog. */
  establish(session: SessionDialog, terms: SessionTerms | undefined, answeredAt?: Date): Dialog;
  receive(message: ParsedMessage, connection: SipConnection): void;
  /** The state that another worker needs to continue the answered leg. */
  established(): EstablishedState | null;
  /** Sets the only listener for keys that the far end presses by INFO. */
  onInfoKey(listener: (key: string) => void): void;
  /**
   * The leg is over; later messages of the far end are still answered for `lingerMs`. `gone`: the result of a cancelled INVITE, which may
   * still be answered.
   */
  end(cause: EndCause, provider?: ProviderCause, lingerMs?: number, gone?: Promise<boolean> | boolean): void;
  /** Hangs up an answer that came after the hang-up. Resolves as `gone` does. */
  hangUpLate(session: SessionDialog): Promise<boolean>;
  /** Another worker continues the leg. Until then this one only answers messages of the far end. */
  release(): void;
  /** The leg could not be set up, and is removed. */
  discard(): void;
  /** Resolves when the leg is over, and its far end has responded to our CANCEL or BYE. False: it could not be reached. */
  gone(): Promise<boolean>;
  /** It is over, or another worker has it: a late answer must not establish it. */
  isClosed(): boolean;
};

/** Time for retransmissions of a far end that missed our last response. */
const LINGER_MS = 5_000;
/** The maximum duration of a SIP transaction (64 × T1). */
export const TRANSACTION_MS = 32_000;
const WATCH_EVERY_MS = 1_000;
/** Without packets for this long a leg is lost. Real time. */
const LOST_AFTER_MS = 20_000;
const NO_AUDIO: ProviderCause = { code: null, text: 'No audio came for 20 seconds' };

/** Creates a leg, and opens its audio ports unless `media` is given. On failure everything is closed, the flow too. */
export async function openLegBody(
  deps: LegDeps,
  options: Omit<LegBodyOptions, 'media'> &
    Omit<Parameters<LegDeps['openMedia']>[0], 'peers'> & { media?: LegMedia },
): Promise<LegBody> {
  const { flow, localAddress, isSecure, peers, startedMsAgo = 0 } = options;
  let media = options.media;
  try {
    media ??= await deps.openMedia({ localAddress, isSecure, peers, startedMsAgo });
    return createLegBody(deps, { ...options, media });
  } catch (err) {
    media?.close();
    flow.close();
    throw err;
  }
}

function createLegBody(deps: LegDeps, options: LegBodyOptions): LegBody {
  const { signalling, emit, now, log } = deps;
  const { callId, legId, sipCallId, user, flow, media, peers, credentials = () => null, startedAt } = options;
  const facts = createLegFacts({ legId, now, emit }, startedAt);
  const { core, receive, dispose } = createLegCore({
    flow,
    user,
    credentials,
    beforeInvite: async (text) => {
      if (dialog) return;
      unanswered = { phase: 'inviting', hop: flow.hop, cancel: cancelOf(text) };
      await (options.beforeInvite ?? ((saved) => saved))(stored.save());
      if (isClosed) throw new Error('Another process has the call');
    },
    ...(options.onInvite ? { onInvite: options.onInvite } : {}),
    onUpdate: (message) =>
      void answerUpdate(
        {
          core,
          media,
          contact: () => `<${flow.contactUri(user)}>`,
          isClosed: () => isClosed,
          terms: () => dialog?.terms(),
          onUpdated: (terms) => {
            dialog?.refreshed(terms);
            stored.saveLater();
          },
        },
        message,
      ).catch((err: unknown) => log.warn({ err }, 'an UPDATE of a SIP call was not answered')),
  });
  const unregister = signalling.router.register(sipCallId, {
    callId,
    branch: options.branch,
    receive,
    isOver: () => isClosed,
    onClosed: options.onClosed,
  });
  let dialog: Dialog | undefined;
  /** The state before the answer, from which another worker can cancel the leg, and of an answer that comes too late. */
  let unanswered: OneLegState | undefined;
  let passKey: (key: string) => void = () => {};
  let watch: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Another worker has the leg, or it could not be set up. */
  let isReleased = false;
  const { promise: gone, resolve: onGone } = createDeferred<boolean>();

  const close = (lingerMs: number): void => {
    if (isClosed) return;
    isClosed = true;
    clearInterval(watch);
    dialog?.stop();
    media.close();
    signalling.disposeAfter(lingerMs, () => {
      unregister();
      dispose();
      flow.close();
    });
  };

  const end: LegBody['end'] = (
    cause,
    provider,
    lingerMs = LINGER_MS,
    cancelled = dialog?.hungUp() ?? true,
  ) => {
    facts.ended(cause, provider);
    close(lingerMs);
    onGone(cancelled);
  };

  const lose = (provider: ProviderCause): void => {
    dialog?.bye();
    end('lost', provider, TRANSACTION_MS);
  };

  const watchAudio = (): void => {
    if (!media.session() || media.isHeld() || mediaClock.nowMs() - media.lastReceivedAtMs() <= LOST_AFTER_MS)
      return;
    lose(NO_AUDIO);
  };

  const establishedState = (state: DialogState, answeredAt: Date): EstablishedState => ({
    phase: 'established',
    hop: flow.hop,
    user,
    dialog: state,
    isSecure: media.isSecure(),
    peers: [...peers],
    answeredAt: answeredAt.toISOString(),
  });
  const established: LegBody['established'] = () =>
    dialog && facts.answeredAt ? establishedState(dialog.state(), facts.answeredAt) : null;

  const stored = createStoredLeg({
    state: () => (isReleased ? null : (established() ?? unanswered ?? null)),
    isOver: () => facts.isEnded && !deps.outlivesEnd,
    saveState: deps.saveState,
    log,
  });

  return {
    core,
    facts,
    flow,
    media,
    stored,
    receive,
    dialog: () => dialog,
    established,
    end,
    establish(session, terms, answeredAt) {
      dialog = createDialog({
        session,
        media,
        terms,
        // Call-IDs of this platform begin with the id of the call [sip.1].
        isCallIdOurs: sipCallId.startsWith(callId),
        contact: () => `<${flow.contactUri(user)}>`,
        hop: () => flow.hop,
        events: {
          onBye: (provider) => end(stored.isTransferring() ? 'transferred' : 'remote', provider),
          onKey: (key) => {
            if (!media.countsInfoKey()) return;
            facts.keys(key);
            passKey(key);
          },
          onMedia: facts.media,
          onChange: stored.saveLater,
          onLost: (text) => lose({ code: null, text }),
        },
      });
      facts.answered(answeredAt);
      if (media.session()) facts.media();
      watch = setInterval(watchAudio, WATCH_EVERY_MS);
      watch.unref();
      stored.saveLater();
      return dialog;
    },
    hangUpLate(session) {
      unanswered = establishedState(dialogStateOf(session), now());
      if (deps.outlivesEnd) stored.saveLater();
      return hangUp(session);
    },
    onInfoKey: (listener) => {
      passKey = listener;
    },
    release: () => {
      isReleased = true;
      close(TRANSACTION_MS);
    },
    discard: () => {
      isReleased = true;
      close(0);
      onGone(true);
    },
    gone: () => gone,
    isClosed: () => isClosed,
  };
}
