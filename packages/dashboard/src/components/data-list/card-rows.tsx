import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import styles from './data-list.module.css';
import rows from './rows.module.css';
import type { RowsProps } from './table-rows.tsx';
import { useVisibleRows } from './use-visible-rows.ts';

const CARD_HEIGHT = 132;
const SKELETON_CARDS = 5;

/** The rows as cards, for narrow windows: the first column is the heading, the others are lines. */
export function CardRows<Item>({ label, list, columns, itemKey, link }: RowsProps<Item>) {
  const { rootRef, virtualizer, before, after } = useVisibleRows<Item, HTMLUListElement>(list, CARD_HEIGHT);
  const [first, ...others] = columns;
  if (list.isLoading) return <SkeletonCards />;
  return (
    <ul
      ref={rootRef}
      className={rows.cards}
      aria-label={label}
      aria-busy={list.isStale}
      style={{ paddingTop: before, paddingBottom: after }}
    >
      {virtualizer.getVirtualItems().map(({ index }) => {
        const item = list.items[index];
        if (item === undefined || first === undefined) return null;
        return (
          <li key={itemKey(item)} ref={virtualizer.measureElement} data-index={index} className={styles.item}>
            <div className={styles.itemTitle}>
              {link ? (
                <Link {...link(item)} className={rows.link}>
                  {first.render(item)}
                </Link>
              ) : (
                first.render(item)
              )}
            </div>
            <dl>
              {others.map(({ id, header, render }) => (
                <div key={id} className={styles.line}>
                  <dt>{header}</dt>
                  <dd>{render(item)}</dd>
                </div>
              ))}
            </dl>
          </li>
        );
      })}
    </ul>
  );
}

function SkeletonCards() {
  return (
    <div className={rows.cards} aria-hidden="true">
      {Array.from({ length: SKELETON_CARDS }, (_, i) => (
        <div key={i} className={styles.item}>
          <Skeleton height={12} width="60%" radius="xl" mb={14} />
          <Skeleton height={10} width="90%" radius="xl" mb={10} />
          <Skeleton height={10} width="80%" radius="xl" />
        </div>
      ))}
    </div>
  );
}
