import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { queryClient, SESSION_KEY } from '../app/client.ts';
import { isTyping } from '../app/is-typing.ts';
import type { Session } from '../app/session.ts';
import { focusOn, placeOf } from './focus-place.ts';

const SHOWN_MS = 12_000;

/** What can be undone now, the newest last. */
const open = new Map<string, () => void>();
let shown = 0;

/** The notification of `notifyUndoable`. It is gone with the session: what it would bring back belongs to a person in a workspace. */
export function showUndoable(message: string, undo: () => void): void {
  shown += 1;
  const id = `undoable-${shown}`;
  const run = () => {
    notifications.hide(id);
    undo();
  };
  const content = (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      {message}
      <Button size="compact-xs" variant="default" aria-keyshortcuts="Control+Z Meta+Z" onClick={run}>
        Undo
      </Button>
    </Group>
  );
  const closeAfter = (ms: number | false) => notifications.update({ id, message: content, autoClose: ms });
  const session = sessionId();
  const stopWatching = queryClient.getQueryCache().subscribe(() => {
    if (sessionId() !== session) notifications.hide(id);
  });
  let placeBefore: (() => HTMLElement | null) | undefined;
  if (open.size === 0) window.addEventListener('keydown', onKey);
  open.set(id, run);
  notifications.show({
    id,
    message: content,
    color: 'teal',
    withBorder: true,
    autoClose: SHOWN_MS,
    closeButtonProps: { 'aria-label': 'Close' },
    onFocusCapture: ({ relatedTarget }) => {
      if (relatedTarget instanceof HTMLElement) placeBefore ??= placeOf(relatedTarget);
      closeAfter(false);
    },
    onBlurCapture: () => closeAfter(SHOWN_MS),
    onClose: () => {
      // It is still there while it fades.
      if (document.activeElement?.closest(`#${id}`))
        focusOn(placeBefore?.() ?? document.querySelector<HTMLElement>('main h1'));
      stopWatching();
      open.delete(id);
      if (open.size === 0) window.removeEventListener('keydown', onKey);
    },
  });
}

function onKey(event: KeyboardEvent): void {
  if (!isUndoKey(event) || isTyping(event)) return;
  event.preventDefault();
  [...open.values()].at(-1)?.();
}

/** Ctrl+Z or ⌘Z: the letter, or the place of the key where letters are not Latin. A German keyboard has Y in that place. */
function isUndoKey({ key, code, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  const isZ = /^[a-z]$/i.test(key) ? key.toLowerCase() === 'z' : code === 'KeyZ';
  return isZ && (ctrlKey || metaKey) && !shiftKey && !altKey;
}

function sessionId(): string {
  const session = queryClient.getQueryData<Session>(SESSION_KEY);
  return `${session?.person.id} ${session?.workspace?.workspace_id}`;
}
