import type { ContactStatus, contact } from '@parley/contracts';
import type { Paint } from '@parley/devstack';
import { formatMs } from '@parley/devstack';
import type { z } from 'zod';

export type Contact = z.output<typeof contact>;

export type Progress = {
  counts: Record<ContactStatus, number>;
  total: number;
  /** Attempts so far, of all contacts. */
  attempts: number;
  /** Real milliseconds until the next retry. */
  nextRetryMs: number | null;
};

type Style = Parameters<Paint>[0];

/** In the order of the bar, with their labels. */
const STATES: readonly [ContactStatus, string, Style, string][] = [
  ['succeeded', 'succeeded', 'green', '█'],
  ['failed', 'failed', 'red', '█'],
  ['cancelled', 'cancelled', 'dim', '█'],
  ['in_progress', 'talking', 'cyan', '▓'],
  ['dialing', 'dialing', 'blue', '▒'],
  ['retrying', 'retrying', 'yellow', '░'],
  ['pending', 'waiting', 'dim', '·'],
];

/** `now`: time of the stack's clock, which runs `rate` times as fast as ours. */
export function countContacts(contacts: readonly Contact[], now: Date, rate: number): Progress {
  const counts: Progress['counts'] = {
    pending: 0,
    dialing: 0,
    in_progress: 0,
    retrying: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
  };
  for (const { status } of contacts) counts[status] += 1;
  const retries = contacts
    .filter(({ status }) => status === 'retrying')
    .flatMap(({ next_attempt_at }) => (next_attempt_at ? [Date.parse(next_attempt_at)] : []));
  const nextRetryMs = retries.length > 0 ? Math.max(0, Math.min(...retries) - now.getTime()) / rate : null;
  const attempts = contacts.reduce((sum, contact) => sum + contact.attempts, 0);
  return { counts, total: contacts.length, attempts, nextRetryMs };
}

/** Two progresses with the same key are equal. */
export function fingerprint({ counts, attempts }: Progress): string {
  return `${Object.values(counts).join()} ${attempts}`;
}

/** `pace`: the dial rate as text. */
type View = { progress: Progress; pace: string; elapsedMs: number };

/** Two lines for a terminal of `width` columns: the bar with figures, and the counts. */
export function progressLines(view: View, width: number, paint: Paint): string[] {
  const figures = showFigures(view);
  const barWidth = Math.max(10, Math.min(60, width - figures.length - 5));
  return [
    `  ${showBar(view.progress, barWidth, paint)}  ${figures}`,
    `  ${showCounts(view.progress, paint)}`,
  ];
}

/** The same in one line, without a terminal. */
export function progressLine(view: View): string {
  return `  ${showFigures(view)}   ${showCounts(view.progress, (_, text) => text)}`;
}

function showFigures({ progress: { counts, total }, pace, elapsedMs }: View): string {
  return `${counts.succeeded + counts.failed + counts.cancelled} of ${total}   ${pace}   ${seconds(elapsedMs)}`;
}

function showBar({ counts, total }: Progress, barWidth: number, paint: Paint): string {
  let drawn = 0;
  let reached = 0;
  const parts = STATES.map(([status, , style, sign]) => {
    reached += counts[status];
    const upTo = Math.round((reached / Math.max(1, total)) * barWidth);
    const part = sign.repeat(upTo - drawn);
    drawn = upTo;
    return paint(style, part);
  });
  return parts.join('');
}

/** The states that are only shown while a contact is in them. */
const HIDDEN_IF_EMPTY: ReadonlySet<ContactStatus> = new Set(['pending', 'cancelled']);

function showCounts(progress: Progress, paint: Paint): string {
  const { counts } = progress;
  const told = STATES.filter(([status]) => counts[status] > 0 || !HIDDEN_IF_EMPTY.has(status));
  const words = told.map(([status, word, style]) => {
    const when = status === 'retrying' ? nextRetry(progress) : '';
    return paint(counts[status] > 0 ? style : 'dim', `${word} ${counts[status]}${when}`);
  });
  return words.join('  ');
}

function nextRetry({ nextRetryMs }: Progress): string {
  return nextRetryMs === null ? '' : ` (in ${seconds(nextRetryMs)})`;
}

function seconds(ms: number): string {
  return formatMs(Math.max(1_000, Math.round(ms / 1_000) * 1_000)).replace('.0 s', ' s');
}
