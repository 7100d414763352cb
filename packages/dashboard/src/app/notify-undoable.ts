import { hasNotifications, notifyError } from './notify.ts';

/**
 * Says that something was done, with a button that undoes it [dashboard.77]. Where the button can't be loaded, as without a network, it
 * is undone at once: nothing is lost.
 */
export async function notifyUndoable(message: string, undo: () => unknown): Promise<void> {
  try {
    const { showUndoable } = await import('../components/undoable.tsx');
    hasNotifications.set(true);
    showUndoable(message, () => void tryUndo(undo));
  } catch (error) {
    if (await tryUndo(undo)) notifyError(error, 'Undone at once, because it could not be undone later');
  }
}

/** Whether it was undone. If not, the person is informed. */
async function tryUndo(undo: () => unknown): Promise<boolean> {
  try {
    await undo();
    return true;
  } catch (error) {
    notifyError(error, 'It could not be undone');
    return false;
  }
}
