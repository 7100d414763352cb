import { Button, Group } from '@mantine/core';
import { useLayoutEffect, useRef } from 'react';
import styles from './dialog-failure.module.css';
import { ErrorNote } from './error-note.tsx';

/** Of what is shown in place of a component that could not be loaded (`lazyComponent`). */
export type FailureProps = {
  error: unknown;
  onRetry: () => void;
  /** If the component has it, as dialogs do. */
  onClose?: (() => void) | undefined;
};

/** In place of a dialog that could not be loaded. The browser's own, since Mantine's is loaded with the first dialog. */
export function DialogFailure({ error, onRetry, onClose }: FailureProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Gives the focus back.
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label="Not loaded"
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // Browsers close it at the second Escape, whatever `onCancel` says.
      onClose={() => {
        if (dialog.current?.open !== false) return;
        if (onClose) onClose();
        else dialog.current.showModal();
      }}
    >
      <ErrorNote error={error} title="This could not be opened" onRetry={onRetry} />
      {onClose ? (
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      ) : null}
    </dialog>
  );
}
