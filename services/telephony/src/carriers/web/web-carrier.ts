import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { WebLine, WebLines } from '../../web-calls/ports.ts';
import type { EndCause, LegSoFar } from '../call-control.ts';
import type { Carrier } from '../carrier.ts';
import { createLineQueue } from '../line-queue.ts';
import { createListeners } from '../listeners.ts';
import type { TextLine } from '../media.ts';
import { refuseDials } from '../no-carrier.ts';
import type { SocketConnection } from './audio/socket-line.ts';
import type { WebAudio } from './audio/web-audio.ts';
import type { HeldLine } from './held-line.ts';
import { createSpokenLine } from './spoken-line.ts';

export const WEB = 'web';

export type WebCarrier = Carrier & {
  /** Polls the lines that this process holds. */
  look(): Promise<boolean>;
  /** A spoken call was taken and will be attached: it counts as an audio call from now on. */
  expectAudio(reference: string): void;
  /** Spoken calls of this process. */
  audioCalls(): number;
  /** Connects a visitor's WebSocket to the line of a spoken call. False: it is not held here. */
  connectSocket(reference: string, connection: SocketConnection): boolean;
};

export type WebCarrierDeps = {
  lines: WebLines;
  clock: Clock;
  log: Log;
  sendSms: Carrier['sendSms'];
  /** Undefined: this worker carries text only. */
  loadAudio?: (() => Promise<WebAudio>) | undefined;
  saveState: (reference: string, state: unknown) => Promise<void>;
};

/**
 * The carrier of web calls. A line is a row: messages, and offers of browsers, travel through the database, so that the visitor's requests
 * may reach any process. Audio goes to the worker itself.
 */
export function createWebCarrier(deps: WebCarrierDeps): WebCarrier {
  const { lines, clock, log, sendSms, loadAudio, saveState } = deps;
  const held = new Map<string, HeldLine>();
  /** The latest attempt to attach, which a later one or a detachment voids. */
  const attempts = new Map<string, symbol>();
  const spoken = new Set<string>();
  const { watch, emit } = createListeners();

  const emitLine = ({ callId, answeredAt, endedAt, endedCause }: WebLine): void => {
    if (answeredAt) emit(callId, { type: 'answered', legId: null, at: answeredAt });
    if (!endedAt) return;
    const cause = (endedCause ?? 'lost') as EndCause;
    held.get(callId)?.end?.();
    emit(callId, { type: 'ended', legId: null, at: endedAt, cause, answeredAt, machine: false });
  };

  const change = async (reference: string, act: () => Promise<void>): Promise<void> => {
    await act();
    const line = await lines.find(reference);
    if (line) emitLine(line);
  };

  const end = (reference: string, cause: EndCause): Promise<void> =>
    change(reference, () => lines.end(reference, cause, clock.now()));

  const answer = (reference: string): Promise<void> =>
    change(reference, () => lines.answer(reference, clock.now()));

  const openLine = async (line: WebLine, soFar: LegSoFar): Promise<HeldLine> => {
    const { callId: reference } = line;
    if (line.media === 'text') return writtenLine(soFar.humanTurns, () => answer(reference));
    if (!loadAudio) throw new Error('this worker carries no audio');
    return createSpokenLine({
      callId: reference,
      audio: await loadAudio(),
      soFar,
      isAnswered: line.answeredAt !== null,
      saveState: (state) => saveState(reference, state),
      emit: (event) => emit(reference, { ...event, legId: null, at: clock.now() }),
      answer: () => answer(reference),
      answerOffer: (seq, reply) => lines.answerOffer(reference, seq, reply),
      end: (cause) => end(reference, cause),
      onFailure: (err) => log.warn({ err, callId: reference }, 'a web call could not be changed'),
    });
  };

  return {
    name: WEB,
    capabilities: {
      transfer: false,
      takeover: 'reattach',
      media: loadAudio ? 'audio' : 'text',
      endsSilentLegs: true,
    },
    watch,
    originate: refuseDials({ emit }, clock, 'Web calls cannot be dialed'),
    // The participant has joined already: the platform finds the call in the database.
    receive: () => {},
    answer: async (reference) => {
      const line = held.get(reference);
      if (line) await line.answer();
      else await answer(reference);
    },
    reject: (reference) => end(reference, 'rejected'),
    attach: async (reference, soFar) => {
      // Before the first wait: a detachment during it voids this attempt.
      const attempt = Symbol(reference);
      attempts.set(reference, attempt);
      const isVoid = (): boolean => attempts.get(reference) !== attempt;
      const line = await lines.find(reference);
      if (!line) return false;
      if (isVoid()) return true;
      try {
        const opened = await openLine(line, soFar);
        if (isVoid()) {
          opened.close();
          return true;
        }
        held.get(reference)?.close();
        held.set(reference, opened);
      } catch (err) {
        if (isVoid()) return true;
        log.error({ err, callId: reference }, 'a web call cannot be spoken');
        await end(reference, 'lost');
        return true;
      }
      if (line.media === 'audio') spoken.add(reference);
      emitLine(line);
      if (line.offer) held.get(reference)?.offer?.(line.offerSeq, line.offer);
      return true;
    },
    detach: (reference) => {
      held.get(reference)?.close();
      held.delete(reference);
      attempts.delete(reference);
      spoken.delete(reference);
    },
    hangup: (reference) => end(reference, 'local'),
    transfer: () => Promise.reject(new Error('A web call cannot be transferred')),
    sendSms,
    sendDigits: () => Promise.reject(new Error('A web call has no keys')),
    media: (reference) => held.get(reference)?.media(),
    show: (reference, update) => held.get(reference)?.show?.(update),
    expectAudio: (reference) => void spoken.add(reference),
    isSpoken: (reference) => spoken.has(reference),
    audioCalls: () => spoken.size,
    connectSocket: (reference, connection) => {
      const connect = held.get(reference)?.connectSocket;
      connect?.(connection);
      return connect !== undefined;
    },
    look: async () => {
      if (held.size === 0) return false;
      for (const { line, messages } of await lines.updates(
        new Map([...held].map(([reference, { next }]) => [reference, next()])),
      )) {
        const here = held.get(line.callId);
        for (const message of messages) here?.add(message);
        if (line.offer) here?.offer?.(line.offerSeq, line.offer);
        if (line.endedAt) emitLine(line);
      }
      return false;
    },
  };
}

/** `from`: the first message that no earlier process has handled. */
function writtenLine(from: number, answer: () => Promise<void>): HeldLine {
  const lines = createLineQueue();
  let next = from;
  // Text has no playback time.
  const say: TextLine['say'] = async (_, signal) => signal.throwIfAborted();
  return {
    media: () => ({ kind: 'text', line: { say, hear: lines.next } }),
    next: () => next,
    add: ({ seq, content }) => {
      if (seq !== next) return;
      next += 1;
      lines.push(content);
    },
    answer,
    close: () => {},
  };
}
