import type { DashboardEnd } from '@parley/contracts';

export type StreamHandlers = {
  onOpen: () => void;
  /** For now; it is opened again, by the browser or here. */
  onLost: () => void;
  /** `data` of an event `changes`. */
  onChanges: (data: string) => void;
  /** Changes may have been missed. */
  onReset: () => void;
  /** The session has ended, or has another workspace or role. */
  onAccessChange: () => void;
};

export type EventStream = {
  /** The person looks at a page: a stream that was replaced by one of another browser is opened again. */
  wake: () => void;
  close: () => void;
};

/** At most; the pages of a gateway that has lost the broker do not all come back at once. */
const RETRY_MS = 30_000;
const ACCESS_CHANGES: ReadonlySet<DashboardEnd['reason']> = new Set([
  'workspace_changed',
  'role_changed',
  'not_allowed',
  'session_ended',
]);

/**
 * The stream of the workspace's changes [dashboard.6]. A stream that the server replaces is not opened again by itself: with more browsers
 * than a person may have streams, they would replace each other for ever.
 */
export function openEventStream({
  onOpen,
  onLost,
  onChanges,
  onReset,
  onAccessChange,
}: StreamHandlers): EventStream {
  let source: EventSource | undefined;
  let retrying: ReturnType<typeof setTimeout> | undefined;
  let isReplaced = false;

  const close = () => {
    clearTimeout(retrying);
    source?.close();
  };
  const openLater = () => {
    close();
    onLost();
    retrying = setTimeout(open, RETRY_MS * (0.5 + Math.random() / 2));
  };
  const reopen = () => {
    close();
    onLost();
    open();
  };
  const open = () => {
    isReplaced = false;
    const opened = new EventSource('/dashboard/api/events');
    source = opened;
    opened.onopen = onOpen;
    opened.addEventListener('changes', ({ data }) => onChanges(data));
    opened.addEventListener('reset', onReset);
    opened.addEventListener('end', ({ data }) => {
      const { reason } = JSON.parse(data) as DashboardEnd;
      if (ACCESS_CHANGES.has(reason)) onAccessChange();
      // The stream of the workspace that is selected now.
      if (reason === 'workspace_changed' || reason === 'role_changed') return reopen();
      if (reason !== 'replaced') return openLater();
      isReplaced = true;
      close();
      onLost();
    });
    opened.onerror = () => {
      // The browser gives up after a refusal, and otherwise tries again by itself.
      if (opened.readyState === EventSource.CLOSED) openLater();
      else onLost();
    };
  };
  open();
  return {
    wake: () => {
      if (isReplaced) open();
    },
    close,
  };
}
