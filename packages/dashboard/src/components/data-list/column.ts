import type { ReactNode } from 'react';

export type Column<Item> = {
  id: string;
  header: string;
  render: (item: Item) => ReactNode;
  /** Pixels. Columns without a width share what is left. */
  width?: number;
  align?: 'left' | 'right';
  /** Not shown until the person chooses it. */
  isOptional?: boolean;
  /** Not part of the cards that narrow windows show. */
  isWideOnly?: boolean;
};
