import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { queryClient, SESSION_KEY } from '../app/client.ts';
import { isTyping } from '../app/is-typing.ts';
import { notifyError } from '../app/notify.ts';
import type { Session } from '../app/session.ts';
import { focusOn, placeOf } from './focus-place.ts';

const SHOWN_MS = 12_000;

/** What can be undone now, the newest last. */
const open = new Map<string, () => void>();
let shown = 0;

/** The notification of `notifyUndoable`. It is gone with the session: what it would bring back belongs to a person in a workspace. */
export function showUndoable(message: string, undo: () => unknown): void {
  shown += 1;
  const id = `undoable-${shown}`;
  const session = sessionId();
  let back: (() => HTMLElement | null) | undefined;
  const run = async () => {
    notifications.hide(id);
    try {
      await undo();
    } catch (error) {
      notifyError(error, 'It could not be undone');
    }
  };
  const stopWatching = queryClient.getQueryCache().subscribe(() => {
    if (sessionId() !== session) notifications.hide(id);
  });
  const keep = (autoClose: number | false) => notifications.update({ id, message: content, autoClose });
  const content = (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      {message}
      <Button
        size="compact-xs"
        variant="default"
        aria-keyshortcuts="Control+Z Meta+Z"
        onClick={() => void run()}
      >
        Undo
      </Button>
    </Group>
  );
  if (open.size === 0) window.addEventListener('keydown', onKey);
  open.set(id, () => void run());
  notifications.show({
    id,
    message: content,
    color: 'teal',
    withBorder: true,
    autoClose: SHOWN_MS,
    closeButtonProps: { 'aria-label': 'Close' },
    onFocusCapture: ({ relatedTarget }) => {
      if (relatedTarget instanceof HTMLElement) back ??= placeOf(relatedTarget);
      keep(false);
    },
    onBlurCapture: () => keep(SHOWN_MS),
    onClose: () => {
      // It is still there while it fades.
      if (document.activeElement?.closest(`#${id}`))
        focusOn(back?.() ?? document.querySelector<HTMLElement>('main h1'));
      stopWatching();
      open.delete(id);
      if (open.size === 0) window.removeEventListener('keydown', onKey);
    },
  });
}

function onKey(event: KeyboardEvent): void {
  // The key's place where the letters are not Latin.
  const isZ = event.key.toLowerCase() === 'z' || event.code === 'KeyZ';
  if (!isZ || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return;
  const undo = [...open.values()].at(-1);
  if (isTyping(event) || !undo) return;
  event.preventDefault();
  undo();
}

function sessionId(): string {
  const session = queryClient.getQueryData<Session>(SESSION_KEY);
  return `${session?.person.id} ${session?.workspace?.workspace_id}`;
}
