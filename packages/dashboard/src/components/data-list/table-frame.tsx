import { type ReactNode, type RefCallback, useLayoutEffect, useRef, useState } from 'react';
import type { Column } from './column.ts';
import styles from './rows.module.css';

const FLEXIBLE_WIDTH = 150;

type Props<Item> = {
  label: string;
  columns: readonly Column<Item>[];
  bodyRef: RefCallback<HTMLTableSectionElement>;
  isBusy?: boolean;
  /** The rows are of former filters. */
  isStale?: boolean;
  /** Of all rows, of which only some are rendered. */
  rowCount?: number;
  children: ReactNode;
};

/** The frame of a table of virtual rows. Its titles stay in sight; where the columns do not fit, it scrolls sideways instead. */
export function TableFrame<Item>(props: Props<Item>) {
  const { label, columns, bodyRef, isBusy = false, isStale = false, rowCount, children } = props;
  const minWidth = columns.reduce((sum, { width = FLEXIBLE_WIDTH }) => sum + width, 0);
  const { ref, isNarrower } = useIsNarrower(minWidth);
  return (
    <section
      ref={ref}
      className={styles.scroller}
      aria-label={label}
      data-scrolls={isNarrower || undefined}
      tabIndex={isNarrower ? 0 : undefined}
    >
      <table
        className={styles.table}
        style={{ minWidth }}
        aria-busy={isBusy || isStale}
        aria-label={label}
        aria-rowcount={rowCount === undefined ? undefined : rowCount + 1}
      >
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
        <tbody ref={bodyRef} data-stale={isStale || undefined}>
          {children}
        </tbody>
      </table>
    </section>
  );
}

/** Stands for the rows that are not rendered. */
export function Spacer({ height, columns }: { height: number; columns: number }) {
  return height === 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without content is not focusable
    <tr aria-hidden="true" className={styles.spacer}>
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

function useIsNarrower(width: number) {
  const ref = useRef<HTMLElement>(null);
  const [isNarrower, setNarrower] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setNarrower(element.clientWidth < width);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [width]);
  return { ref, isNarrower };
}
