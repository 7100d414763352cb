import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Column } from './column.ts';
import type { RowLink } from './row-link.ts';
import styles from './rows.module.css';
import { Spacer, TableFrame } from './table-frame.tsx';
import type { List } from './use-list.ts';
import { useVisibleRows } from './use-visible-rows.ts';

export type RowsProps<Item> = {
  label: string;
  list: List<Item>;
  columns: readonly Column<Item>[];
  itemKey: (item: Item) => string;
  link: ((item: Item) => RowLink) | undefined;
};

const ROW_HEIGHT = 45;
const SKELETON_ROWS = 8;

export function TableRows<Item>({ label, list, columns, itemKey, link }: RowsProps<Item>) {
  const { rootRef, virtualizer, before, after } = useVisibleRows<Item, HTMLTableSectionElement>(
    list,
    ROW_HEIGHT,
  );
  return (
    <TableFrame
      label={label}
      columns={columns}
      bodyRef={rootRef}
      isBusy={list.isLoading}
      isStale={list.isStale}
    >
      {list.isLoading ? <SkeletonRows columns={columns} /> : null}
      <Spacer height={before} columns={columns.length} />
      {virtualizer.getVirtualItems().map(({ index }) => {
        const item = list.items[index];
        return item === undefined ? null : (
          <tr key={itemKey(item)} data-link={link ? true : undefined}>
            {columns.map(({ id, render, align }, i) => (
              <td key={id} data-align={align}>
                {i === 0 && link ? <RowLinkCell to={link(item)}>{render(item)}</RowLinkCell> : render(item)}
              </td>
            ))}
          </tr>
        );
      })}
      <Spacer height={after} columns={columns.length} />
    </TableFrame>
  );
}

/** The link of the first cell covers its whole row. */
function RowLinkCell({ to, children }: { to: RowLink; children: ReactNode }) {
  return (
    <Link {...to} className={styles.link}>
      {children}
    </Link>
  );
}

function SkeletonRows<Item>({ columns }: { columns: readonly Column<Item>[] }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row cannot have the focus
    <tr key={row} aria-hidden="true">
      {columns.map(({ id }, i) => (
        <td key={id}>
          <Skeleton height={10} width={`${40 + ((row * 3 + i * 7) % 5) * 10}%`} radius="xl" />
        </td>
      ))}
    </tr>
  ));
}
