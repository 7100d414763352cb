import {
  type DrawerProps,
  Drawer as MantineDrawer,
  Modal as MantineModal,
  type ModalProps,
} from '@mantine/core';
import { useFocusReturn } from './use-focus-return.ts';

type Busy = {
  /** A request of the dialog runs. It stays until the answer is there, which may be an error, or something that is shown once. */
  isBusy?: boolean;
};

/** Mantine's, which also gives the focus back when it is closed. */
export function Modal({ isBusy = false, onClose, ...props }: ModalProps & Busy) {
  useFocusReturn();
  return <MantineModal {...props} onClose={isBusy ? stay : onClose} />;
}

/** Mantine's, which also gives the focus back when it is closed. */
export function Drawer({ isBusy = false, onClose, ...props }: DrawerProps & Busy) {
  useFocusReturn();
  return <MantineDrawer {...props} onClose={isBusy ? stay : onClose} />;
}

const stay = () => {};
