import {
  type DrawerProps,
  Drawer as MantineDrawer,
  Modal as MantineModal,
  type ModalProps,
} from '@mantine/core';
import { useFocusReturn } from './use-focus-return.ts';

/** Mantine's, which also gives the focus back when it is closed. */
export function Modal(props: ModalProps) {
  useFocusReturn();
  return <MantineModal {...props} />;
}

/** Mantine's, which also gives the focus back when it is closed. */
export function Drawer(props: DrawerProps) {
  useFocusReturn();
  return <MantineDrawer {...props} />;
}
