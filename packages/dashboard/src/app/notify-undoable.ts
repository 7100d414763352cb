import { hasNotifications, notifyError } from './notify.ts';

/** Says that something was done, with a button that undoes it [dashboard.77]. */
export async function notifyUndoable(message: string, undo: () => unknown): Promise<void> {
  try {
    const { showUndoable } = await import('../components/undoable.tsx');
    hasNotifications.set(true);
    showUndoable(message, undo);
  } catch (error) {
    // The button could not be loaded: nothing is lost that the person couldn't bring back.
    await undo();
    notifyError(error);
  }
}
