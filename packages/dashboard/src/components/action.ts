import type { ReactNode } from 'react';
import type { Role } from '../app/session.ts';

/** An item of the menu of `Actions`. */
export type Action = {
  label: string;
  icon?: ReactNode;
  onClick: () => void;
  /** The role that it needs. */
  minimum?: Role;
  isDestructive?: boolean;
  /** Of choices, the one that holds. */
  isChosen?: boolean;
};
