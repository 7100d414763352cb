import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useMemo, useRef } from 'react';
import { ChangedNote } from '../changed-note.tsx';
import { QuestionsOfRows } from '../confirm-action.tsx';
import { ErrorNote } from '../error-note.tsx';
import { CardRows } from './card-rows.tsx';
import type { Column } from './column.ts';
import { ColumnChooser } from './column-chooser.tsx';
import styles from './data-list.module.css';
import type { RowLink } from './row-link.ts';
import { TableRows } from './table-rows.tsx';
import { useColumns } from './use-columns.ts';
import type { List } from './use-list.ts';

type Props<Item> = {
  /** What is listed, in the plural; the name of the table for screen readers and of the person's choice of columns. */
  label: string;
  list: List<Item>;
  columns: readonly Column<Item>[];
  itemKey: (item: Item) => string;
  /** Where a row leads. */
  link?: (item: Item) => RowLink;
  /** While there is nothing at all. */
  empty: ReactNode;
  /** While nothing matches the filters: its text and a way back. */
  noMatch?: ReactNode;
  isFiltered?: boolean;
  /** Above the rows: filters, usually a `FilterBar`. */
  toolbar?: ReactNode;
  /** In a page with other content, without the frame. */
  plain?: boolean;
  /** Without the chooser of columns. */
  fixedColumns?: boolean;
};

/**
 * A list of the API. Rows outside of the window are not rendered, and the next page is requested when its place comes into sight.
 * Narrow windows show cards instead of a table.
 */
export function DataList<Item>(props: Props<Item>) {
  const { label, list, columns, toolbar, plain = false, fixedColumns = false } = props;
  const chosen = useColumns(label.toLowerCase(), columns);
  const top = useRef<HTMLDivElement>(null);
  return (
    <div ref={top}>
      {toolbar || !fixedColumns ? (
        <div className={styles.toolbar}>
          <div className={styles.filters}>{toolbar}</div>
          {fixedColumns ? null : (
            <div className={styles.chooser}>
              <ColumnChooser columns={columns} chosen={chosen} />
            </div>
          )}
        </div>
      ) : null}
      {list.hasChanged ? (
        <ChangedNote
          label="Changed – show the newest"
          isBelowTitles
          onShow={() => {
            top.current?.scrollIntoView();
            list.showNewest();
          }}
        />
      ) : null}
      <div className={plain ? undefined : 'card'} style={plain ? undefined : { overflow: 'clip' }}>
        <QuestionsOfRows>
          <Content {...props} columns={chosen.shown} />
        </QuestionsOfRows>
      </div>
      <Footer label={label} list={list} isPlain={plain} />
    </div>
  );
}

function Content<Item>({ label, list, columns, itemKey, link, empty, noMatch, isFiltered }: Props<Item>) {
  const isNarrow = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false });
  const shownColumns = useMemo(
    () => (isNarrow ? columns.filter(({ isWideOnly }) => !isWideOnly) : columns),
    [columns, isNarrow],
  );
  if (list.error && list.items.length === 0)
    return (
      <div className={styles.padded}>
        <ErrorNote error={list.error} onRetry={list.retry} />
      </div>
    );
  if (!list.isLoading && list.items.length === 0) return isFiltered ? (noMatch ?? empty) : empty;
  const Rows = isNarrow ? CardRows : TableRows;
  return <Rows label={label} list={list} columns={shownColumns} itemKey={itemKey} link={link} />;
}

type FooterProps<Item> = { label: string; list: List<Item>; isPlain: boolean };

function Footer<Item>({ label, list, isPlain }: FooterProps<Item>) {
  const { items, total, error, hasMore, retry } = list;
  if (total === undefined || items.length === 0) return null;
  return (
    <div className={styles.footer} data-plain={isPlain || undefined} aria-live="polite">
      {error ? (
        <ErrorNote error={error} title={`More ${label.toLowerCase()} could not be loaded`} onRetry={retry} />
      ) : (
        <span className="numeric">
          {hasMore ? `${items.length.toLocaleString('en')} of ` : ''}
          {total.toLocaleString('en')}{' '}
          {total === 1 ? label.toLowerCase().replace(/s$/, '') : label.toLowerCase()}
        </span>
      )}
    </div>
  );
}
