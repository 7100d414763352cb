import { Button, Group, type ModalProps, Stack } from '@mantine/core';
import { Modal } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { Form } from './form.tsx';

type Props = Omit<ModalProps, 'opened' | 'onSubmit'> & {
  mutation: { mutate: () => void; isPending: boolean; error: unknown };
  /** A verb: "Create". */
  submitLabel: string;
  closeLabel?: string;
  isSubmitDisabled?: boolean;
  /** The error is shown at its field. */
  hidesError?: boolean;
  errorTitle?: string;
};

/** A dialog with a form; it stays open while the form is sent, and shows the error if that fails. */
export function FormDialog({
  mutation: { mutate, isPending, error },
  submitLabel,
  closeLabel = 'Close',
  isSubmitDisabled = false,
  hidesError = false,
  errorTitle,
  children,
  ...modal
}: Props) {
  return (
    <Modal {...modal} opened isBusy={isPending}>
      <Form onSubmit={() => mutate()}>
        <Stack>
          {children}
          {error && !hidesError ? <ErrorNote error={error} title={errorTitle} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={modal.onClose} disabled={isPending}>
              {closeLabel}
            </Button>
            <Button type="submit" loading={isPending} disabled={isSubmitDisabled}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
