import { Skeleton, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { formatCount } from '../../../app/format-number.ts';
import { duration as formatDuration } from '../../../app/format-time.ts';
import type { Column } from '../../../components/data-list/column.ts';
import shared from '../../../components/data-list/rows.module.css';
import { Spacer, TableFrame } from '../../../components/data-list/table-frame.tsx';
import { CallOutcome } from '../outcome.tsx';
import { CallContact, type ListedCall, RowTime } from './call-columns.tsx';
import styles from './call-list.module.css';
import { useRowKeys } from './use-row-keys.ts';
import { MAX_ROWS, useWindowRows } from './use-window-rows.ts';

const ROW_HEIGHT = 45;
const CARD_HEIGHT = 64;

type Props = {
  columns: readonly Column<ListedCall>[];
  total: number;
  callAt: (index: number) => ListedCall | undefined;
  onVisiblePages: (pages: number[]) => void;
};

/** The list of calls. Only the rows in view exist, and any place of it can be scrolled to. */
export function CallList(props: Props) {
  const isNarrow = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false });
  return (
    <>
      {isNarrow ? <CallCards {...props} /> : <CallTable {...props} />}
      {props.total > MAX_ROWS ? (
        <Text size="sm" c="dimmed" ta="center" p="md">
          These are the newest {formatCount(MAX_ROWS)} calls. Narrow the filters to see older calls.
        </Text>
      ) : null}
    </>
  );
}

function CallTable({ columns, total, callAt, onVisiblePages }: Props) {
  const rows = useWindowRows<HTMLTableSectionElement>({ total, rowHeight: ROW_HEIGHT, onVisiblePages });
  useRowKeys();
  return (
    <TableFrame label="Calls" columns={columns} bodyRef={rows.rootRef} rowCount={total}>
      <Spacer height={rows.before} columns={columns.length} />
      {rows.indexes.map((index) => (
        <CallRow key={index} index={index} call={callAt(index)} columns={columns} />
      ))}
      <Spacer height={rows.after} columns={columns.length} />
    </TableFrame>
  );
}

// A row that waits does not pulse: in a list that is scrolled fast, the browser would draw a layer for each of dozens.
type RowProps = { index: number; call: ListedCall | undefined; columns: readonly Column<ListedCall>[] };

const CallRow = memo(function CallRow({ index, call, columns }: RowProps) {
  return (
    <tr aria-rowindex={index + 2} data-link>
      {call === undefined ? (
        <td colSpan={columns.length}>
          <Skeleton height={10} radius="xl" width={`${45 + ((index * 7) % 40)}%`} animate={false} />
        </td>
      ) : (
        columns.map(({ id, align, render }, i) => (
          <td key={id} data-align={align}>
            {i === 0 ? <CallLink id={call.id}>{render(call)}</CallLink> : render(call)}
          </td>
        ))
      )}
    </tr>
  );
});

function CallCards({ total, callAt, onVisiblePages }: Props) {
  const rows = useWindowRows<HTMLUListElement>({ total, rowHeight: CARD_HEIGHT, onVisiblePages });
  return (
    <ul
      ref={rows.rootRef}
      className={shared.cards}
      aria-label="Calls"
      style={{ paddingTop: rows.before, paddingBottom: rows.after }}
    >
      {rows.indexes.map((index) => (
        <CallCard key={index} call={callAt(index)} />
      ))}
    </ul>
  );
}

const CallCard = memo(function CallCard({ call }: { call: ListedCall | undefined }) {
  if (call === undefined)
    return (
      <li className={styles.card}>
        <Skeleton height={10} radius="xl" animate={false} />
      </li>
    );
  return (
    <li className={styles.card}>
      <span className={styles.line}>
        <CallLink id={call.id}>
          <CallContact call={call} />
        </CallLink>
        <span className={styles.dimmed}>
          <RowTime at={call.created_at} />
        </span>
      </span>
      <span className={styles.line}>
        <CallOutcome call={call} />
        <span className={`${styles.dimmed} numeric`}>
          {call.duration ? formatDuration(call.duration) : ''}
        </span>
      </span>
    </li>
  );
});

/** The whole row leads to the call. */
function CallLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Link to="/calls/$callId" params={{ callId: id }} className={shared.link} data-row-link>
      {children}
    </Link>
  );
}
