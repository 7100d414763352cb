import { type EventStream, openEventStream, type StreamHandlers } from './event-stream.ts';

/** Between the tabs of a browser: `hello` of a tab that listens, everything else of the one that has the stream, except `access`. */
type Message =
  | { kind: 'hello' }
  | { kind: 'state'; isOpen: boolean }
  | { kind: 'changes'; data: string }
  | { kind: 'reset' }
  /** The session has changed, by a stream that ended or in the tab that says so. */
  | { kind: 'access' };

const NAME = 'parley-events';
const HELLO_MS = 5_000;
/** Without a word of the tab that has the stream: the browser may have put it to sleep. */
const SILENCE_MS = 15_000;
/** A tab that is only looked away from for a moment keeps its stream. */
const HIDDEN_MS = 5_000;

/** The channel of this tab, which does not get its own messages. */
let ownChannel: BroadcastChannel | undefined;

/**
 * One stream for all tabs of a browser: it has six connections to a server with HTTP/1.1, and a stream in each of six tabs would leave
 * none for anything else. Returns the end of it.
 */
export function shareEventStream(handlers: StreamHandlers): () => void {
  // On a page without HTTPS there is none.
  const locks = (navigator as Partial<Navigator>).locks;
  return locks ? shareWithTabs(locks, handlers) : streamWhileVisible(handlers);
}

/** The tab with the lock has the stream and passes on what it says; the others wait for the lock. */
function shareWithTabs(locks: LockManager, handlers: StreamHandlers): () => void {
  const channel = new BroadcastChannel(NAME);
  ownChannel = channel;
  const leaving = new AbortController();
  let stream: EventStream | undefined;
  let isOpen = false;
  let isTakenOver = false;
  let heardMs = performance.now();

  const receive = (message: Message) => {
    if (message.kind === 'changes') handlers.onChanges(message.data);
    else if (message.kind === 'reset') handlers.onReset();
    else if (message.kind === 'access') handlers.onAccessChange();
    else if (message.kind === 'state') message.isOpen ? handlers.onOpen() : handlers.onLost();
  };
  const tell = (message: Message) => {
    channel.postMessage(message);
    receive(message);
  };
  const setOpen = (next: boolean) => {
    isOpen = next;
    tell({ kind: 'state', isOpen });
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') {
      stream?.wake();
      if (stream) channel.postMessage({ kind: 'state', isOpen } satisfies Message);
    } else if (data.kind === 'access') {
      handlers.onAccessChange();
    } else if (!stream) {
      isTakenOver = true;
      heardMs = performance.now();
      receive(data);
    }
  };
  const greet = () => {
    if (stream) stream.wake();
    else channel.postMessage({ kind: 'hello' } satisfies Message);
  };
  const lead = () =>
    new Promise<void>((release) => {
      stream = openEventStream({
        onOpen: () => {
          setOpen(true);
          // No tab got the changes between the end of the other tab's stream and the start of this one.
          if (isTakenOver) tell({ kind: 'reset' });
          isTakenOver = false;
        },
        onLost: () => setOpen(false),
        onChanges: (data) => tell({ kind: 'changes', data }),
        onReset: () => tell({ kind: 'reset' }),
        onAccessChange: () => tell({ kind: 'access' }),
      });
      leaving.signal.addEventListener('abort', () => {
        stream?.close();
        release();
      });
    });
  locks.request(NAME, { signal: leaving.signal }, lead).catch(() => {});

  const checking = setInterval(() => {
    if (stream || document.visibilityState === 'hidden') return;
    if (performance.now() - heardMs > SILENCE_MS) handlers.onLost();
    channel.postMessage({ kind: 'hello' } satisfies Message);
  }, HELLO_MS);
  const onVisible = () => {
    if (document.visibilityState === 'hidden') return;
    heardMs = performance.now();
    greet();
  };
  document.addEventListener('visibilitychange', onVisible);
  greet();
  return () => {
    leaving.abort();
    clearInterval(checking);
    document.removeEventListener('visibilitychange', onVisible);
    channel.close();
    if (ownChannel === channel) ownChannel = undefined;
  };
}

/** Tells the other tabs of the browser that the session has another workspace now. */
export function broadcastAccessChange(): void {
  ownChannel?.postMessage({ kind: 'access' } satisfies Message);
}

/** A stream of this tab, closed while it is hidden. */
function streamWhileVisible(handlers: StreamHandlers): () => void {
  let stream: EventStream | undefined;
  let closing: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    stream?.close();
    stream = undefined;
    handlers.onLost();
  };
  const update = () => {
    clearTimeout(closing);
    if (document.visibilityState === 'hidden') closing = setTimeout(close, HIDDEN_MS);
    else if (stream) stream.wake();
    else stream = openEventStream(handlers);
  };
  document.addEventListener('visibilitychange', update);
  update();
  return () => {
    document.removeEventListener('visibilitychange', update);
    clearTimeout(closing);
    stream?.close();
  };
}
