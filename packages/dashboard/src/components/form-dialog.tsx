import { Button, Group, type ModalProps, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { SentBeforeNote } from '../drafts/sent-before-note.tsx';
import { Modal } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { Form } from './form.tsx';

type FormProps = {
  onSubmit: () => void;
  onClose: () => void;
  /** Of what it sends. */
  mutation: { isPending: boolean; error: unknown; isSentBefore?: boolean; isLost?: boolean };
  /** A verb: "Create". */
  submitLabel: string;
  closeLabel?: string;
  isSubmitDisabled?: boolean;
  /** The error is shown at its field. */
  hidesError?: boolean;
  errorTitle?: string;
  children: ReactNode;
};

type Props = FormProps & Pick<ModalProps, 'title' | 'size' | 'closeOnClickOutside'>;

/** A dialog with a form; it stays open while the form is sent, and shows the error if that fails. */
export function FormDialog({ title, size = 'md', closeOnClickOutside = true, ...form }: Props) {
  return (
    <Modal
      opened
      onClose={form.onClose}
      isBusy={form.mutation.isPending}
      title={title}
      size={size}
      closeOnClickOutside={closeOnClickOutside}
    >
      <DialogForm {...form} />
    </Modal>
  );
}

/** The form of a dialog or a drawer, which is busy while it is sent. */
export function DialogForm({
  onSubmit,
  onClose,
  mutation: { isPending, error, isSentBefore = false, isLost = false },
  submitLabel,
  closeLabel = 'Close',
  isSubmitDisabled = false,
  hidesError = false,
  errorTitle,
  children,
}: FormProps) {
  return (
    <Form onSubmit={onSubmit}>
      <Stack>
        {children}
        <SentBeforeNote of={{ isSentBefore, isLost }} />
        {error && !hidesError ? <ErrorNote error={error} title={isLost ? undefined : errorTitle} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isPending}>
            {closeLabel}
          </Button>
          <Button type="submit" loading={isPending} disabled={isSubmitDisabled}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
