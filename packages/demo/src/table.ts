import type { Paint } from '@parley/devstack';
import Table from 'cli-table3';

type Column = {
  title: string;
  align?: 'right' /** Of the content; the last column without one takes the rest. */;
  width?: number;
};

type Input = { columns: readonly Column[]; rows: readonly string[][]; width: number; paint: Paint };

const INDENT = '  ';
const GAP = '  ';
const MIN_WIDTH = 12;

/** Columns without a frame; content that doesn't fit is truncated with an ellipsis. */
export function drawTable({ columns, rows, width, paint }: Input): string {
  const fixed = columns.reduce((sum, column) => sum + (column.width ?? 0), 0);
  const gaps = INDENT.length + GAP.length * (columns.length - 1);
  const rest = Math.max(MIN_WIDTH, width - fixed - gaps - 1);
  const bare = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '' };
  const table = new Table({
    head: columns.map(({ title }) => paint('bold', title)),
    colWidths: columns.map((column) => column.width ?? rest),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    chars: {
      ...bare,
      'bottom-left': '',
      'bottom-right': '',
      left: INDENT,
      'left-mid': INDENT,
      mid: '─',
      'mid-mid': '──',
      right: '',
      'right-mid': '',
      middle: GAP,
    },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replace(/ +$/gm, '');
}
