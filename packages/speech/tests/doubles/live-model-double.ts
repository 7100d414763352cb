import { audibleMs } from '@parley/media/testing';
import type {
  LiveConnection,
  LiveEvent,
  LiveListener,
  LiveModel,
  LiveOpening,
} from '../../src/live/live-model.ts';
import type { SpeechError } from '../../src/ports.ts';

/** What the conversation asked of a connection. */
type Asked = [what: keyof LiveConnection, ...args: unknown[]];

export type LiveModelDouble = LiveModel & {
  readonly openings: readonly LiveOpening[];
  /** Everything except audio and idle moments, by connection. */
  readonly asked: readonly Asked[];
  readonly heardSamples: number;
  /** Sound that each connection heard, by opening. */
  readonly audibleMs: readonly number[];
  readonly idleMoments: number;
  /** Connections that neither side has closed. */
  readonly openConnections: number;
  /** Of the connection that is open. */
  emit(...events: LiveEvent[]): void;
  /** A sentence with its audio. */
  say(answer: string, text: string, ms: number): void;
  fail(failure: SpeechError): void;
  /** The next connection, in the moment in which it becomes ready. */
  failWhenReady(failure: SpeechError): void;
  /** The next attempts to connect. */
  refuse(...failures: SpeechError[]): void;
};

const RATE = 8_000;

/** A model that does what the test says. */
export function createLiveModelDouble(): LiveModelDouble {
  const openings: LiveOpening[] = [];
  const asked: Asked[] = [];
  const refusals: SpeechError[] = [];
  const earlyFailures: SpeechError[] = [];
  const open = new Set<LiveConnection>();
  const audible: number[] = [];
  let heardSamples = 0;
  let idleMoments = 0;
  let current: LiveListener | undefined;

  const emit = (...events: LiveEvent[]): void => {
    for (const event of events) current?.onEvent(event);
  };
  const note =
    (what: keyof LiveConnection) =>
    (...args: unknown[]): void =>
      void asked.push([what, ...args]);

  return {
    name: 'live-double',
    hearingRate: RATE,
    speakingRate: RATE,
    openings,
    asked,
    audibleMs: audible,
    get heardSamples() {
      return heardSamples;
    },
    get idleMoments() {
      return idleMoments;
    },
    emit,
    say: (answer, text, ms) =>
      emit(
        { type: 'said', answer, text },
        { type: 'audio', answer, samples: new Int16Array((RATE * ms) / 1_000).fill(4_000) },
        { type: 'answer_ended', answer },
        { type: 'done' },
      ),
    get openConnections() {
      return open.size;
    },
    failWhenReady: (failure) => void earlyFailures.push(failure),
    fail: (failure) => {
      open.clear();
      current?.onFailure(failure);
    },
    refuse: (...failures) => void refusals.push(...failures),
    connect: async (opening, listener) => {
      const refusal = refusals.shift();
      const link = openings.push(opening) - 1;
      audible[link] = 0;
      if (refusal) throw refusal;
      current = listener;
      const early = earlyFailures.shift();
      if (early) listener.onFailure(early);
      const connection: LiveConnection = {
        hear: (samples) => {
          heardSamples += samples.length;
          audible[link] = (audible[link] ?? 0) + audibleMs(samples, RATE);
        },
        idle: () => {
          idleMoments += 1;
        },
        sendText: note('sendText'),
        respond: note('respond'),
        answerTool: note('answerTool'),
        cutOff: note('cutOff'),
        close: () => {
          open.delete(connection);
          if (current === listener) current = undefined;
        },
      };
      if (!early) open.add(connection);
      return connection;
    },
  };
}
