import { hasNotifications } from './notify.ts';

/** Says that something was done, with a button that undoes it [dashboard.77]. */
export async function notifyUndoable(message: string, undo: () => unknown): Promise<void> {
  const { showUndoable } = await import('../components/undoable.tsx');
  hasNotifications.set(true);
  showUndoable(message, undo);
}
