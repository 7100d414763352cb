import type { ContactStatus, contact } from '@parley/contracts';
import type { z } from 'zod';
import { formatMs } from '../terminal/format-ms.ts';
import type { Paint } from '../terminal/paint.ts';

export type Contact = z.output<typeof contact>;

export type Progress = {
  counts: Record<ContactStatus, number>;
  total: number;
  /** Attempts so far, of all contacts. */
  attempts: number;
  /** Real milliseconds until somebody is called again. */
  nextRetryMs: number | null;
};

type Style = Parameters<Paint>[0];

/** In the order of the bar, with the word for people. */
const STATES: readonly [ContactStatus, string, Style, string][] = [
  ['succeeded', 'succeeded', 'green', '█'],
  ['failed', 'failed', 'red', '█'],
  ['cancelled', 'cancelled', 'dim', '█'],
  ['in_progress', 'talking', 'cyan', '▓'],
  ['dialing', 'dialing', 'blue', '▒'],
  ['retrying', 'retrying', 'yellow', '░'],
  ['pending', 'waiting', 'dim', '·'],
];

/** `now`: of the stack's clock, `rate` times as fast as ours. */
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

/** What makes a progress a new one. */
export function fingerprint({ counts, attempts }: Progress): string {
  return `${Object.values(counts).join()} ${attempts}`;
}

type View = { progress: Progress; callsPerSecond: number; elapsedMs: number; width: number; paint: Paint };

/** Two lines for a terminal of `width` columns: the bar, and the counts. */
export function progressLines({ progress, callsPerSecond, elapsedMs, width, paint }: View): string[] {
  const { counts, total } = progress;
  const done = counts.succeeded + counts.failed + counts.cancelled;
  const figures = `  ${done} of ${total}   ${callsPerSecond.toFixed(1)} calls/s   ${seconds(elapsedMs)}`;
  const room = Math.max(10, Math.min(60, width - figures.length - 3));
  let drawn = 0;
  let reached = 0;
  const bar = STATES.map(([status, , style, sign]) => {
    reached += counts[status];
    const upTo = Math.round((reached / Math.max(1, total)) * room);
    const part = paint(style, sign.repeat(upTo - drawn));
    drawn = upTo;
    return part;
  });
  const words = STATES.filter(([status]) => counts[status] > 0 || SHOWN.has(status)).map(
    ([status, word, style]) => {
      const text = `${word} ${counts[status]}${status === 'retrying' ? nextRetry(progress) : ''}`;
      return counts[status] > 0 ? paint(style, text) : paint('dim', text);
    },
  );
  return [`  ${bar.join('')}${figures}`, `  ${words.join('  ')}`];
}

/** The states that are always told. */
const SHOWN: ReadonlySet<ContactStatus> = new Set([
  'succeeded',
  'failed',
  'in_progress',
  'dialing',
  'retrying',
]);

/** The same in one line, where there is no terminal. */
export function progressLine(view: Omit<View, 'width' | 'paint'>): string {
  const [figures = '', words = ''] = progressLines({ ...view, width: 0, paint: (_, text) => text });
  return `  ${figures.replace(/^[^0-9]*/, '')}   ${words.trim()}`;
}

function nextRetry({ nextRetryMs }: Progress): string {
  return nextRetryMs === null ? '' : ` (in ${seconds(nextRetryMs)})`;
}

function seconds(ms: number): string {
  return formatMs(Math.max(1_000, Math.round(ms / 1_000) * 1_000)).replace('.0 s', ' s');
}
