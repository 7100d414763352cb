import { SpeechError } from '../ports.ts';
import { isTemporary, timedOut } from '../providers/failures.ts';
import { retryDelayMs } from '../providers/limits.ts';
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

/** Maximum buffered audio of the human while there is no connection, in frames of 20 ms. */
const MAX_BACKLOG = 500;
const CONTINUE =
  'The line broke off for a moment. If the human asked something that has no answer yet, answer it. If you were cut off, continue where you were.';

export type LiveLinkOptions = {
  model: LiveModel;
  setup: LiveSetup;
  handle: string | null;
  history: () => readonly LiveTurn[];
  signal: AbortSignal;
  onEvent: (event: LiveEvent) => void;
  /** A connection failed; the link continues as long as it can. */
  onFailure: (failure: SpeechError) => void;
  /** The connection was lost and is being replaced. Returns whether the model should answer. */
  onLost: () => boolean;
  /** There is a connection again. `isAsked`: the model was asked to continue. */
  onRenewed: (isAsked: boolean) => void;
  onGivenUp: (failure: unknown) => void;
};

/** A tool invocation, and its connection. */
type LinkedTool = { link: number; id: string; name: string; args: unknown };

/**
 * A conversation with a model over as many connections as it takes. One that is lost is replaced once, by its handle or with the history; if the
 * next one is lost before the model has done anything, the link gives up. Nothing that the human says in between is lost.
 */
export type LiveLink = {
  readonly isOpen: boolean;
  /** The number of the connection. */
  readonly current: number;
  /** Resolves when the model is ready; rejects with SpeechError if it can't be reached. */
  open(): Promise<void>;
  hear(samples: Int16Array): void;
  tell(text: string): void;
  respond(instruction: string): void;
  answerTool(tool: LinkedTool, answer: LiveToolResult, use: ResultUse): void;
  cutOff(answer: string, playedMs: number): void;
  idle(): void;
  /** Replaces the connection while both sides are silent. */
  renew(): void;
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
  let hasWorked = false;
  let isClosed = false;
  let backlog: Int16Array[] = [];
  /** Actions that wait for a connection. */
  let waiting: { isInHistory: boolean; act: (to: LiveConnection) => void }[] = [];

  const later = (act: (to: LiveConnection) => void, isInHistory = false): void => {
    if (connection) act(connection);
    else if (!isClosed) waiting.push({ isInHistory, act });
  };

  const handleEvent = (event: LiveEvent): void => {
    if (event.type === 'resumable') handle = event.handle;
    else if (event.type !== 'leaving' && event.type !== 'interrupted') hasWorked = true;
    onEvent(event);
  };

  const connectBy = async (known: string | null): Promise<void> => {
    links += 1;
    const link = links;
    // Everything so far is in the history.
    if (known === null) waiting = waiting.filter(({ isInHistory }) => !isInHistory);
    const opening = { ...setup, handle: known, history: known === null ? history() : [] };
    const isCurrent = (): boolean => link === links && !isClosed;
    const listener = {
      onEvent: (event: LiveEvent) => void (isCurrent() && handleEvent(event)),
      onFailure: (failure: SpeechError) => void (isCurrent() && lost(failure)),
    };
    const opened = await model.connect(opening, listener, signal);
    if (!isCurrent()) {
      opened.close();
      signal.throwIfAborted();
      throw timedOut(model.name, 'the conversation is over');
    }
    connection = opened;
    for (const samples of backlog.splice(0)) opened.hear(samples);
    for (const { act } of waiting.splice(0)) act(opened);
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
    const shouldAnswer = onLost();
    connect().then(
      () => {
        if (shouldAnswer) later((to) => to.respond(CONTINUE));
        onRenewed(shouldAnswer);
      },
      (err: unknown) => {
        if (!isClosed) onGivenUp(err);
      },
    );
  };

  const lost = (failure: SpeechError): void => {
    onFailure(failure);
    losses = hasWorked ? 1 : losses + 1;
    hasWorked = false;
    if (losses > 1 || failure.kind === 'credentials') {
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
      if (connection) connection.hear(samples);
      else {
        backlog.push(samples);
        if (backlog.length > MAX_BACKLOG) backlog = backlog.slice(-MAX_BACKLOG);
      }
    },
    tell: (text) => later((to) => to.tell(text)),
    respond: (instruction) => later((to) => to.respond(instruction)),
    answerTool: ({ link, ...tool }, answer, use) => {
      const isKnown = () => link === links;
      later((to) => to.answerTool({ ...tool, isKnown: isKnown() }, answer, use), use === 'silent');
    },
    cutOff: (answer, playedMs) => connection?.cutOff(answer, playedMs),
    idle: () => connection?.idle(),
    renew: () => {
      if (connection) replace();
    },
    lose: (why) => {
      if (!connection) return;
      connection.close();
      connection = undefined;
      links += 1;
      lost(timedOut(model.name, why));
    },
    close: () => {
      isClosed = true;
      connection?.close();
      connection = undefined;
      backlog = [];
      waiting = [];
    },
  };
}
