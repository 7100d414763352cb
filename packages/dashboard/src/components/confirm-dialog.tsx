import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Modal } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { Form } from './form.tsx';

export type ConfirmDialogProps = {
  title: string;
  /** What will be done, and whether it can be undone. */
  children: ReactNode;
  /** A verb: "Revoke key". */
  confirmLabel: string;
  onConfirm: () => Promise<unknown>;
  /** A name that the person types first, before something that cannot be undone. */
  typed?: string;
  /** Not destructive. */
  harmless?: boolean;
  onClose: () => void;
};

/** The question of a `ConfirmAction`, which is loaded when it is asked. */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  onConfirm,
  typed,
  harmless = false,
  onClose,
}: ConfirmDialogProps) {
  const [name, setName] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = async () => {
    setRunning(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (err) {
      setError(err);
    } finally {
      setRunning(false);
    }
  };
  return (
    <Modal opened onClose={onClose} isBusy={isRunning} title={title}>
      <Form onSubmit={() => void confirm()}>
        <Stack gap="md">
          <Text size="sm" component="div">
            {children}
          </Text>
          {typed === undefined ? null : (
            <TextInput
              label={`Type “${typed}” to confirm`}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {error === undefined ? null : <ErrorNote error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={isRunning}>
              Cancel
            </Button>
            <Button
              type="submit"
              color={harmless ? undefined : 'red.9'}
              loading={isRunning}
              disabled={typed !== undefined && name.trim() !== typed}
              data-autofocus={typed === undefined || undefined}
            >
              {confirmLabel}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
