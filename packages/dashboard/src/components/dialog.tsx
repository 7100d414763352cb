import {
  type DrawerProps,
  Drawer as MantineDrawer,
  Modal as MantineModal,
  type ModalProps,
} from '@mantine/core';
import { useFocusReturn } from './use-focus-return.ts';

type Props = ModalProps & {
  /** A request of the dialog runs. It stays until the answer is there, which may be an error, or something that is shown once. */
  isBusy?: boolean;
};

/** Mantine's, which also gives the focus back when it is closed. */
export function Modal({ isBusy = false, onClose, ...props }: Props) {
  useFocusReturn();
  const close = () => {
    if (!isBusy) onClose();
  };
  return <MantineModal {...props} onClose={close} />;
}

/** Mantine's, which also gives the focus back when it is closed. */
export function Drawer(props: DrawerProps) {
  useFocusReturn();
  return <MantineDrawer {...props} />;
}
