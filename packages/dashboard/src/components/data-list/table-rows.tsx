import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Column } from './column.ts';
import styles from './data-list.module.css';
import type { RowLink } from './row-link.ts';
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
const FLEXIBLE_WIDTH = 180;

export function TableRows<Item>({ label, list, columns, itemKey, link }: RowsProps<Item>) {
  const { rootRef, virtualizer, before, after } = useVisibleRows<Item, HTMLTableSectionElement>(
    list,
    ROW_HEIGHT,
  );
  const minWidth = columns.reduce((sum, { width = FLEXIBLE_WIDTH }) => sum + width, 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.scroller} aria-label={label} tabIndex={0}>
      <table className={styles.table} style={{ minWidth }} aria-busy={list.isLoading || list.isStale}>
        <colgroup>
          {columns.map(({ id, width }) => (
            <col key={id} style={width ? { width } : undefined} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map(({ id, header, align }) => (
              <th key={id} scope="col" data-align={align}>
                {header || <span className="visually-hidden">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={rootRef} data-stale={list.isStale || undefined}>
          {list.isLoading ? <SkeletonRows columns={columns} /> : null}
          <Spacer height={before} columns={columns.length} />
          {virtualizer.getVirtualItems().map(({ index }) => {
            const item = list.items[index];
            return item === undefined ? null : (
              <tr key={itemKey(item)} data-link={link ? true : undefined}>
                {columns.map(({ id, render, align }, i) => (
                  <td key={id} data-align={align}>
                    {i === 0 && link ? (
                      <RowLinkCell to={link(item)}>{render(item)}</RowLinkCell>
                    ) : (
                      render(item)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          <Spacer height={after} columns={columns.length} />
        </tbody>
      </table>
    </section>
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

/** Stands for the rows that are not rendered. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  return height === 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row cannot have the focus
    <tr aria-hidden="true" className={styles.spacer}>
      <td colSpan={columns} style={{ height }} />
    </tr>
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
