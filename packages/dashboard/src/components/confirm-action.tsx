import { useDisclosure } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense } from 'react';
import type { ConfirmDialogProps } from './confirm-dialog.tsx';

const ConfirmDialog = lazy(() =>
  import('./confirm-dialog.tsx').then(({ ConfirmDialog: dialog }) => ({ default: dialog })),
);

type Props = Omit<ConfirmDialogProps, 'onClose'> & {
  /** The control that opens the question. */
  trigger: (open: () => void) => ReactNode;
};

/** Asks before a destructive action. Stays open with the error if the action fails. */
export function ConfirmAction({ trigger, ...question }: Props) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      {trigger(open)}
      <Suspense>{isOpen ? <ConfirmDialog {...question} onClose={close} /> : null}</Suspense>
    </>
  );
}
