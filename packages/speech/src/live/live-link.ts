import { createTokenBucket } from '@parley/media';
import { SpeechError } from '../ports.ts';
import { isTemporary, timedOut } from '../providers/failures.ts';
import { retryDelayMs } from '../providers/limits.ts';
import { createUnconfirmedAudio } from '../providers/unconfirmed-audio.ts';
import { pause } from '../providers/waiting.ts';
import type {
  LiveConnection,
  LiveEvent,
  LiveModel,
  LiveSetup,
  LiveToolResult,
  LiveTurn,
  ResultUse,
} from './live-model.ts';

export type LiveLinkOptions = {
  model: LiveModel;
  setup: LiveSetup;
  handle: string | null;
  /** What was said and done so far, on all connections. An answer whose question is not recorded yet is waited for. */
  history: () => Promise<readonly LiveTurn[]>;
  signal: AbortSignal;
  /** Throws SpeechError if the model has sent too much: the link gives up. */
  onEvent: (event: LiveEvent) => void;
  /** A connection failed; the link continues as long as it can. */
  onFailure: (failure: SpeechError) => void;
  /** The connection was lost and is being replaced. Returns whether the next one hears again all that the human said without an answer. */
  onLost: () => boolean;
  /** There is a connection again. */
  onRenewed: () => void;
  onGivenUp: (failure: unknown) => void;
};

/** A tool invocation, and its connection. */
type LinkedTool = { link: number; id: string; name: string; args: unknown };

/** A provider that ends connections more often than one in 10 s has failed, even if it answers in between. */
const MAX_REPLACED = 10;
const REPLACED_PER_SECOND = 0.1;

/** Events that show that the model answers, and not only listens. */
const ANSWERS: ReadonlySet<LiveEvent['type']> = new Set(['audio', 'said', 'tool']);

/**
 * A conversation with a model over as many connections as it takes. One that is lost is replaced once; the link
 * gives up if the next one is lost, or falls silent, before the model has answered. The next connection hears again what the human has said
 * without an answer, because a loss is noticed late. It continues by the last handle if that knows all the rest, and otherwise with the history.
 */
export type LiveLink = {
  readonly isOpen: boolean;
  /** The number of the connection. */
  readonly current: number;
  /** Resolves when the model is ready; rejects with SpeechError if it can't be reached. */
  open(): Promise<void>;
  hear(samples: Int16Array): void;
  /** Audio of the human from before the last `keptMs` is not needed again. */
  confirm(keptMs: number): void;
  sendText(text: string): void;
  respond(instruction: string): void;
  answerTool(tool: LinkedTool, answer: LiveToolResult, use: ResultUse): void;
  cutOff(answer: string, playedMs: number): void;
  idle(): void;
  /** Replaces the connection while both sides are silent, unless it has not answered yet: the next one might be about to close as well. Returns whether it did. */
  renew(): boolean;
  /** Treats the connection as lost, because the model is silent. */
  lose(why: string): void;
  close(): void;
};

export function createLiveLink(options: LiveLinkOptions): LiveLink {
  const { model, setup, history, signal, onEvent, onFailure, onLost, onRenewed, onGivenUp } = options;
  let { handle } = options;
  let connection: LiveConnection | undefined;
  let links = 0;
  let losses = 0;
  let hasAnswered = false;
  /** The current connection has answered. */
  let isProven = false;
  let isClosed = false;
  /** Since the handle was issued the model has answered or was told something, which a connection by this handle would not know. */
  let isStale = false;
  /** The model was told something and has not reacted: a handle may have been issued before that arrived. */
  let isUnseen = false;
  /** Since then the model has noticed speech of the human. */
  let hasHeard = false;
  const replacements = createTokenBucket(MAX_REPLACED, REPLACED_PER_SECOND);
  const unanswered = createUnconfirmedAudio(model.hearingRate);
  /** Actions that wait for a connection. */
  let waiting: { isInHistory: boolean; act: (to: LiveConnection) => void }[] = [];

  const hand = (to: LiveConnection, act: (to: LiveConnection) => void): void => {
    isStale = true;
    isUnseen = true;
    act(to);
  };
  const later = (act: (to: LiveConnection) => void, isInHistory = false): void => {
    if (connection) hand(connection, act);
    else if (!isClosed) waiting.push({ isInHistory, act });
  };

  const handleEvent = (event: LiveEvent): void => {
    if (event.type === 'resumable') {
      handle = event.handle;
      isStale = isUnseen;
      hasHeard = false;
    }
    hasAnswered ||= ANSWERS.has(event.type);
    isProven ||= ANSWERS.has(event.type);
    isStale ||= ANSWERS.has(event.type);
    isUnseen &&= !ANSWERS.has(event.type);
    hasHeard ||= event.type === 'heard' || event.type === 'turn_ended';
    onEvent(event);
  };

  const handleOrGiveUp = (event: LiveEvent): void => {
    try {
      handleEvent(event);
    } catch (err) {
      if (!(err instanceof SpeechError)) throw err;
      leave();
      onFailure(err);
      onGivenUp(err);
    }
  };
  /** Ends the current connection, whose events are ignored from now on. */
  const leave = (): void => {
    connection?.close();
    connection = undefined;
    links += 1;
  };

  const connectBy = async (known: string | null): Promise<void> => {
    links += 1;
    const link = links;
    isProven = false;
    const isCurrent = (): boolean => link === links && !isClosed;
    const requireCurrent = (): void => {
      signal.throwIfAborted();
      if (!isCurrent()) throw timedOut(model.name, 'the conversation is over');
    };
    const past = known === null ? await history() : [];
    requireCurrent();
    // Everything so far is in the history.
    if (known === null) waiting = waiting.filter(({ isInHistory }) => !isInHistory);
    const opening = { ...setup, handle: known, history: past };
    let isOpened = false;
    /** It may be lost in the moment in which it becomes ready. */
    let earlyFailure: SpeechError | undefined;
    const listener = {
      onEvent: (event: LiveEvent) => {
        if (isCurrent()) handleOrGiveUp(event);
      },
      onFailure: (failure: SpeechError) => {
        if (!isOpened) earlyFailure = failure;
        else if (isCurrent()) lost(failure);
      },
    };
    const opened = await model.connect(opening, listener, signal);
    if (!isCurrent()) opened.close();
    requireCurrent();
    if (earlyFailure) throw earlyFailure;
    isOpened = true;
    connection = opened;
    for (const samples of unanswered.chunks()) opened.hear(samples);
    for (const { act } of waiting.splice(0)) hand(opened, act);
  };

  /** Retries once after a failure, without the handle, since the handle may have been rejected. */
  const connect = async (): Promise<void> => {
    try {
      await connectBy(handle);
    } catch (err) {
      signal.throwIfAborted();
      if (isClosed || !(err instanceof SpeechError) || err.kind === 'credentials') throw err;
      if (handle === null && !isTemporary(err)) throw err;
      onFailure(err);
      await pause(retryDelayMs(err), signal);
      if (isClosed) throw err;
      handle = null;
      await connectBy(null);
    }
  };

  const replace = (): void => {
    connection?.close();
    connection = undefined;
    const isRepeated = onLost();
    if (isStale || (hasHeard && !isRepeated)) handle = null;
    connect().then(onRenewed, (err: unknown) => {
      if (!isClosed) onGivenUp(err);
    });
  };

  const lost = (failure: SpeechError): void => {
    onFailure(failure);
    // Only an answer makes this the first loss: each connection hears the same question again.
    losses = hasAnswered ? 1 : losses + 1;
    hasAnswered = false;
    if (losses > 1 || failure.kind === 'credentials' || !replacements.take(1)) {
      connection = undefined;
      onGivenUp(failure);
    } else replace();
  };

  return {
    get isOpen() {
      return connection !== undefined;
    },
    get current() {
      return links;
    },
    open: connect,
    hear: (samples) => {
      const copy = unanswered.push(samples);
      connection?.hear(copy);
    },
    confirm: (keptMs) => {
      if (connection) unanswered.confirm(unanswered.endMs - keptMs);
    },
    sendText: (text) => later((to) => to.sendText(text)),
    respond: (instruction) => later((to) => to.respond(instruction)),
    answerTool: ({ link, ...tool }, answer, use) => {
      const isKnown = () => link === links;
      later((to) => to.answerTool({ ...tool, isKnown: isKnown() }, answer, use), use === 'silent');
    },
    cutOff: (answer, playedMs) => connection?.cutOff(answer, playedMs),
    idle: () => connection?.idle(),
    renew: () => {
      const isReplaced = connection !== undefined && isProven && replacements.take(1);
      if (isReplaced) replace();
      return isReplaced;
    },
    lose: (why) => {
      if (!connection) return;
      leave();
      lost(timedOut(model.name, why));
    },
    close: () => {
      isClosed = true;
      connection?.close();
      connection = undefined;
      unanswered.confirm(unanswered.endMs);
      waiting = [];
    },
  };
}
