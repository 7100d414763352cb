import { createDeferred } from '@parley/kit/concurrency';
import type { IncomingInviteRequest, IncomingResponse, SessionDialog } from 'sip.js/lib/core/index.js';
import type { ProviderCause } from '../../call-control.ts';
import { providerCauseOf } from '../causes.ts';
import type { LegMedia } from '../media/leg-media.ts';
import { sdpBody } from '../media/sdp.ts';
import type { Hop } from '../signalling/connections.ts';
import { CSEQ_STEP, dialogStateOf } from './dialog-state.ts';
import { keyOfInfo, sendInfoKey } from './info-keys.ts';
import type { DialogState } from './leg-state.ts';
import { CALL_GONE, type ReinviteResult, reinvite } from './reinvite.ts';
import { hangUp } from './send-bye.ts';
import {
  agreedTerms,
  asksTooOften,
  createSessionTimer,
  grantedTerms,
  type SessionTerms,
  TOO_OFTEN,
} from './session-timer.ts';
import { watchAcknowledgement } from './watch-acknowledgement.ts';

/** Called with each status that the far end reports of its call to the target (NOTIFY). */
type OnReferStatus = (status: number) => void;

/** An answered leg: the requests within its dialog. */
export type Dialog = {
  /** Offers our audio again, which also refreshes the session. */
  reinvite(): Promise<ReinviteResult>;
  /** Hangs up; may be repeated. */
  bye(): void;
  /** Resolves when the far end has responded to our BYE, or at once without one. False: it could not be reached. */
  hungUp(): Promise<boolean>;
  /** Asks the far end to call `target` instead of us. Returns the status of its response. */
  refer(target: string, onStatus: OnReferStatus): Promise<number>;
  /** Listens to the reports on a REFER that another worker has sent. */
  onReferred(onStatus: OnReferStatus): void;
  /** Presses a key by INFO, for far ends without telephone-event. False: the far end does not support it. */
  info(key: string): Promise<boolean>;
  state(): DialogState;
  /** The timer of the session, if it has one. */
  terms(): SessionTerms | undefined;
  /** The far end has refreshed the session by UPDATE. */
  refreshed(terms: SessionTerms | undefined): void;
  stop(): void;
};

type DialogEvents = {
  /** The far end hung up. */
  onBye: (provider: ProviderCause) => void;
  onKey: (key: string) => void;
  /** The far end has answered our offer in its acknowledgement. */
  onMedia: () => void;
  /** The state that another worker needs has changed. */
  onChange: () => void;
  /** The far end did not acknowledge or refresh, or no longer knows the call. */
  onLost: (why: string) => void;
};

export type DialogOptions = {
  session: SessionDialog;
  media: LegMedia;
  events: DialogEvents;
  contact: () => string;
  /** Where its requests go. */
  hop: () => Hop;
  terms: SessionTerms | undefined;
  /** This platform began the call, in whichever worker. */
  isCallIdOurs: boolean;
};

/** The leg is moving to another worker, which answers the repeated request. */
export const RETRY_LATER = { statusCode: 500, extraHeaders: ['Retry-After: 2'] };
const UNAVAILABLE = 503;
const TIMED_OUT = 408;
const REFRESH_AGAIN_MS = 10_000;

export function createDialog(options: DialogOptions): Dialog {
  const { session, media, events, contact, hop, isCallIdOurs } = options;
  let isOver = false;
  let hungUp = Promise.resolve(true);
  let onReferStatus: OnReferStatus = () => {};
  /** Resolves at the end of the call, after which a request may never get a response. */
  const { promise: gone, resolve: onGone } = createDeferred<undefined>();
  const localCseq = (): number => session.localSequenceNumber ?? 1;
  let storedCseq = localCseq();
  const contactHeader = (): string => `Contact: ${contact()}`;
  const timer = createSessionTimer({
    refresh: () => void offerAudio().then(onRefreshed, () => timer.retry(REFRESH_AGAIN_MS)),
    onExpired: () => events.onLost('The session was not refreshed'),
  });
  const offerAudio = (): Promise<ReinviteResult> =>
    reinvite({
      ...{ session, media, timer, contactHeader, hop, gone, isCallIdOurs },
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
    const terms = grantedTerms(message, timer.terms());
    const extraHeaders = [contactHeader(), ...(terms ? agreedTerms(terms, message) : [])];
    const sdp = message.body ? await media.answer(message.body) : media.offer();
    if (isOver) return void request.reject(RETRY_LATER);
    if (sdp === undefined) return void request.reject({ statusCode: 488 });
    request.accept({ statusCode: 200, extraHeaders, body: sdpBody(sdp) });
    watchAcknowledgement(session, request, onUnacknowledged);
    timer.start(terms);
    events.onChange();
  };

  /** The far end's answer to our offer in a response, which comes with its acknowledgement. */
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
      // Our own failure came after the response.
    }
  };

  session.delegate = {
    onBye: (request) => {
      request.accept();
      const reason = request.message.getHeader('reason') ?? null;
      stop();
      onGone(undefined);
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
      if (status !== undefined) onReferStatus(Number(status));
    },
    onPrack: (request) => request.accept(),
    onRefer: (request) => request.reject({ statusCode: 603 }),
  };

  const bye = (): void => {
    if (isOver) return;
    stop();
    onGone(undefined);
    hungUp = hangUp(session);
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
    refer: (target, onStatus) =>
      new Promise((resolve) => {
        onReferStatus = onStatus;
        const done = ({ message }: IncomingResponse): void => resolve(message.statusCode ?? UNAVAILABLE);
        const extraHeaders = [`Refer-To: <${target}>`, `Referred-By: <${session.localURI}>`, contactHeader()];
        session.refer({ onAccept: done, onReject: done, onRedirect: done }, { extraHeaders });
      }),
    onReferred: (onStatus) => {
      onReferStatus = onStatus;
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
