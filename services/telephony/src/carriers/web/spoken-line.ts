import { retry } from '@parley/kit/concurrency';
import type { WebRtcOffer } from '@parley/media/webrtc-offer';
import type { OfferReply } from '../../web-calls/ports.ts';
import type { EndCause, LegSoFar } from '../call-control.ts';
import type { WebAudioLineEvents } from './audio/audio-line.ts';
import type { WebAudio } from './audio/web-audio.ts';
import type { HeldLine } from './held-line.ts';

type Options = {
  callId: string;
  audio: WebAudio;
  soFar: LegSoFar;
  /** A previous worker has answered it. */
  isAnswered: boolean;
  saveState: (state: LineState) => Promise<void>;
  emit: (
    event: { type: 'media' } | { type: 'dtmf'; digits: string } | { type: 'text'; text: string },
  ) => void;
  answer: () => Promise<void>;
  answerOffer: (seq: number, reply: OfferReply) => Promise<void>;
  end: (cause: EndCause) => Promise<void>;
  onFailure: (err: unknown) => void;
};

/** What another worker needs: how many written messages have been handed over. */
type LineState = { written: number };

/**
 * The line of a spoken web call. It is answered when the assistant has taken the call and the visitor's browser is connected, in any
 * order: before that it would not be heard.
 */
export function createSpokenLine(options: Options): HeldLine {
  const { callId, audio, soFar, isAnswered, saveState, emit, answer, answerOffer, end, onFailure } = options;
  let written = writtenSoFar(soFar);
  let answeredSeq = 0;
  let isTaken = isAnswered;
  let isAnswering = isAnswered;
  const closed = new AbortController();

  const attempt = (act: Promise<unknown>): void => void act.catch(onFailure);
  /** For what happens once: while the database cannot be reached, nothing else would try again. */
  const untilDone = (act: () => Promise<void>): void => {
    retry(act, { signal: closed.signal, onFailure }).catch((err: unknown) => {
      if (!closed.signal.aborted) onFailure(err);
    });
  };
  const reply = async (seq: number, offer: unknown): Promise<void> =>
    answerOffer(seq, { sdp: line.accept(offer as WebRtcOffer) });
  const answerWhenReady = async (): Promise<void> => {
    if (!isTaken || isAnswering || !line.session()) return;
    isAnswering = true;
    try {
      await answer();
    } catch (err) {
      isAnswering = false;
      throw err;
    }
  };
  const events: WebAudioLineEvents = {
    onConnected: () => {
      emit({ type: 'media' });
      untilDone(answerWhenReady);
    },
    onKeys: (digits) => emit({ type: 'dtmf', digits }),
    // The visitor disconnected without hanging up, or never connected, here or to a previous worker.
    onLost: (wasConnected) => untilDone(() => end(wasConnected || isAnswered ? 'remote' : 'lost')),
  };
  const line = audio.openLine(events, callId);

  return {
    media: () => {
      const session = line.session();
      return session && { kind: 'audio', session };
    },
    next: () => written,
    add: ({ seq, content }) => {
      if (seq !== written) return;
      written += 1;
      attempt(saveState({ written }));
      emit({ type: 'text', text: content });
    },
    answer: async () => {
      isTaken = true;
      await answerWhenReady();
    },
    offer: (seq, offer) => {
      if (seq <= answeredSeq) return;
      answeredSeq = seq;
      // This process stored it. An offer that this version cannot answer fails alone.
      attempt(reply(seq, offer));
    },
    connectSocket: line.acceptSocket,
    show: line.show,
    end: line.end,
    close: () => {
      closed.abort();
      line.close();
    },
  };
}

function writtenSoFar({ state }: LegSoFar): number {
  const { written } = (state ?? {}) as Partial<LineState>;
  return typeof written === 'number' ? written : 0;
}
