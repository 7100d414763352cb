import type {
  IncomingInviteRequest,
  IncomingResponse,
  SessionDialog,
  UserAgentCore,
} from 'sip.js/lib/core/index.js';
import type { ProviderCause } from '../../call-control.ts';
import { providerCauseOf } from '../causes.ts';
import type { LegMedia } from '../media/leg-media.ts';
import { sdpBody } from '../media/sdp.ts';
import { CSEQ_STEP, dialogStateOf } from './dialog-state.ts';
import { keyOfInfo, sendInfoKey } from './info-keys.ts';
import type { DialogState } from './leg-state.ts';
import { CALL_GONE, type ReinviteResult, reinvite } from './reinvite.ts';
import { sendBye } from './send-bye.ts';
import {
  agreedTerms,
  asksTooOften,
  createSessionTimer,
  grantedTerms,
  type SessionTerms,
  TOO_OFTEN,
} from './session-timer.ts';
import { watchAcknowledgement } from './watch-acknowledgement.ts';

/** How a REFER is getting on: accepted, and then what the target answered. */
type ReferEvents = { onStatus: (status: number) => void };

/** An answered leg: the requests within its dialog. */
export type Dialog = {
  /** Asks the far end to send its audio here. */
  reinvite(): Promise<ReinviteResult>;
  /** Hangs up; may be repeated. */
  bye(): void;
  /** Resolves when the far end has responded to our BYE, if there was one. False: it could not be reached. */
  hungUp(): Promise<boolean>;
  /** Asks the far end to call `target` instead of us; the status of its response. */
  refer(target: string, events: ReferEvents): Promise<number>;
  /** The same for a REFER that another worker has sent: how it is getting on. */
  onReferred(events: ReferEvents): void;
  /** Presses a key by INFO, for far ends without telephone-event. */
  info(key: string): Promise<boolean>;
  state(): DialogState;
  /** The timer of the session, if it has one. */
  terms(): SessionTerms | undefined;
  /** The far end has refreshed the session by other means than a re-INVITE. */
  refreshed(terms: SessionTerms | undefined): void;
  stop(): void;
};

type DialogEvents = {
  /** The far end hung up, or the dialog is gone there. */
  onBye: (provider: ProviderCause) => void;
  onKey: (key: string) => void;
  /** The far end has answered an offer of ours in its acknowledgement. */
  onMedia: () => void;
  /** Something changed that another worker has to know. */
  onChange: () => void;
  /** The far end did not acknowledge, refresh or exist any more. */
  onLost: (why: string) => void;
};

export type DialogOptions = {
  core: UserAgentCore;
  session: SessionDialog;
  media: LegMedia;
  events: DialogEvents;
  contact: () => string;
  terms: SessionTerms | undefined;
  /** This platform began the call, in whichever worker. */
  isCallIdOurs: boolean;
};

/** The leg moves to another worker, which will know about it in a moment. */
export const RETRY_LATER = { statusCode: 500, extraHeaders: ['Retry-After: 2'] };
const UNAVAILABLE = 503;
const TIMED_OUT = 408;
const REFRESH_AGAIN_MS = 10_000;

export function createDialog(options: DialogOptions): Dialog {
  const { session, media, events, contact, isCallIdOurs } = options;
  let isOver = false;
  let hungUp = Promise.resolve(true);
  let referEvents: ReferEvents | undefined;
  /** Called at the end of the call, after which a request may never get a response. */
  let onGone = (): void => {};
  const gone = new Promise<undefined>((resolve) => {
    onGone = () => resolve(undefined);
  });
  const localCseq = (): number => session.localSequenceNumber ?? 1;
  let storedCseq = localCseq();
  const contactHeader = (): string => `Contact: ${contact()}`;
  const timer = createSessionTimer({
    refresh: () => void offerAudio().then(onRefreshed, () => timer.retry(REFRESH_AGAIN_MS)),
    onExpired: () => events.onLost('The session was not refreshed'),
  });
  const offerAudio = (): Promise<ReinviteResult> =>
    reinvite({
      ...{ session, media, timer, contactHeader, gone, isCallIdOurs },
      isOver: () => isOver,
      onChange: events.onChange,
    });

  const onRefreshed = ({ status, retryAfterMs = REFRESH_AGAIN_MS }: ReinviteResult): void => {
    if (status === TIMED_OUT || status === CALL_GONE)
      events.onLost(`The far end responded ${status} to a refresh`);
    // The session ends only when its interval is over.
    else if (status >= 300) timer.retry(retryAfterMs);
  };

  const answerInvite = async (request: IncomingInviteRequest): Promise<void> => {
    const { message } = request;
    if (isOver) return void request.reject(RETRY_LATER);
    if (asksTooOften(message)) return void request.reject({ ...TOO_OFTEN });
    const asked = grantedTerms(message, timer.terms());
    const extraHeaders = [contactHeader(), ...(asked ? agreedTerms(asked, message) : [])];
    const sdp = message.body ? await media.answer(message.body) : media.offer();
    if (isOver) return void request.reject(RETRY_LATER);
    if (sdp === undefined) return void request.reject({ statusCode: 488 });
    request.accept({ statusCode: 200, extraHeaders, body: sdpBody(sdp) });
    watchAcknowledgement(session, request, onUnacknowledged);
    timer.start(asked);
    events.onChange();
  };

  /** The answer to an offer of ours in a response. */
  const takeAnswer = async (answer: string): Promise<void> => {
    const isAgreed = await media.accept(answer).catch(() => false);
    if (isOver) return;
    if (!isAgreed) return events.onLost('The acknowledgement has no codec in common with our offer');
    events.onMedia();
    events.onChange();
  };

  const onUnacknowledged = (): void => {
    if (isOver) return;
    bye();
    events.onLost('The far end did not acknowledge the answer');
  };

  const rejectLater = (request: IncomingInviteRequest): void => {
    try {
      request.reject(RETRY_LATER);
    } catch {
      // It was answered before our own failure.
    }
  };

  session.delegate = {
    onBye: (request) => {
      request.accept();
      const reason = request.message.getHeader('reason') ?? null;
      stop();
      onGone();
      events.onBye(providerCauseOf({ status: null, text: 'BYE', reason, hasRung: true }));
    },
    onInvite: (request) => {
      answerInvite(request).catch(() => rejectLater(request));
    },
    onAck: ({ message }) => {
      // While a promise is pending, the library refuses the next re-INVITE.
      return message.body || !media.session() ? takeAnswer(message.body) : events.onChange();
    },
    onAckTimeout: onUnacknowledged,
    onInfo: (request) => {
      if (isOver) return void request.reject(RETRY_LATER);
      request.accept();
      const key = keyOfInfo(request.message);
      if (key !== undefined) events.onKey(key);
    },
    onNotify: (request) => {
      if (isOver) return void request.reject(RETRY_LATER);
      request.accept();
      const status = /^SIP\/2\.0 (\d{3})/.exec(request.message.body)?.[1];
      if (status !== undefined) referEvents?.onStatus(Number(status));
    },
    onPrack: (request) => request.accept(),
    onRefer: (request) => request.reject({ statusCode: 603 }),
  };

  const bye = (): void => {
    if (isOver) return;
    stop();
    onGone();
    hungUp = sendBye(session).then(
      () => true,
      () => false,
    );
  };

  const stop = (): void => {
    isOver = true;
    timer.stop();
  };

  timer.start(options.terms);

  return {
    reinvite: offerAudio,
    bye,
    hungUp: () => hungUp,
    stop,
    refreshed: (terms) => {
      if (terms) timer.start(terms);
    },
    refer: (target, wanted) =>
      new Promise((resolve) => {
        referEvents = wanted;
        const done = ({ message }: IncomingResponse): void => resolve(message.statusCode ?? UNAVAILABLE);
        const extraHeaders = [`Refer-To: <${target}>`, `Referred-By: <${session.localURI}>`, contactHeader()];
        session.refer({ onAccept: done, onReject: done, onRedirect: done }, { extraHeaders });
      }),
    onReferred: (wanted) => {
      referEvents = wanted;
    },
    info: async (key) => {
      const responded = sendInfoKey(session, key);
      if (localCseq() - storedCseq > CSEQ_STEP / 2) events.onChange();
      return (await Promise.race([responded, gone])) ?? false;
    },
    terms: timer.terms,
    state: () => {
      storedCseq = localCseq();
      return dialogStateOf(session, timer.terms());
    },
  };
}
