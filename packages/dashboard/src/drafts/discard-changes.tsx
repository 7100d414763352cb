import { Button } from '@mantine/core';
import { notifyUndoable } from '../app/notify-undoable.ts';

type Props = { draft: { isDirty: boolean; discard: () => () => void } };

/** Discards the changes of a form, which can be undone [dashboard.77]. */
export function DiscardChanges({ draft }: Props) {
  if (!draft.isDirty) return null;
  return (
    <Button
      variant="subtle"
      color="gray"
      onClick={() => void notifyUndoable('Your changes are discarded', draft.discard())}
    >
      Discard changes
    </Button>
  );
}
