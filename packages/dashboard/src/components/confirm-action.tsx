import { useDisclosure } from '@mantine/hooks';
import { createContext, type ReactNode, useContext, useState } from 'react';
import type { ConfirmDialogProps } from './confirm-dialog.tsx';
import { lazyDialog } from './lazy-component.tsx';

const ConfirmDialog = lazyDialog(() => import('./confirm-dialog.tsx'), 'ConfirmDialog');

type Question = Omit<ConfirmDialogProps, 'onClose'>;

type Props = Question & {
  /** The control that opens the question. */
  trigger: (open: () => void) => ReactNode;
};

const Asking = createContext<((question: Question) => void) | undefined>(undefined);

/** Asks before a destructive action. Stays open with the error if the action fails. */
export function ConfirmAction({ trigger, ...question }: Props) {
  const ask = useContext(Asking);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      {trigger(ask ? () => ask(question) : open)}
      {isOpen ? <ConfirmDialog {...question} onClose={close} /> : null}
    </>
  );
}

/** Asks the questions of rows, which stay when their row becomes a card or is scrolled away. */
export function QuestionsOfRows({ children }: { children: ReactNode }) {
  const [question, ask] = useState<Question>();
  return (
    <Asking value={ask}>
      {children}
      {question ? <ConfirmDialog {...question} onClose={() => ask(undefined)} /> : null}
    </Asking>
  );
}
