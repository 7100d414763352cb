import { Skeleton } from '@mantine/core';
import { useState } from 'react';
import { formatCents, formatCount, formatShare, plural } from '../../app/format-number.ts';
import { Section } from '../../components/section.tsx';
import styles from './home.module.css';
import type { Day, Days } from './use-home.ts';

/** The calls of each of the last 30 days as bars: answered, and not answered. */
export function CallsByDay({ days }: { days: Days | undefined }) {
  const [active, setActive] = useState<Day>();
  if (!days)
    return (
      <Section title="Calls by day">
        <Skeleton height={200} />
      </Section>
    );
  const { buckets, totals, currency } = days;
  const max = roundUp(Math.max(...buckets.map(({ calls }) => calls)));
  return (
    <Section
      title="Calls by day"
      description={
        active
          ? `${dayName(active.key)}: ${plural(active.calls, 'call')}, ${formatShare(active.answer_rate)} answered, ${formatCount(Math.round(active.minutes))} minutes, ${formatCents(active.cost, currency)}`
          : `Last ${buckets.length} days: ${plural(totals.calls, 'call')}, ${formatShare(totals.answer_rate)} answered`
      }
      actions={
        <div className={styles.legend}>
          <span data-kind="answered">Answered</span>
          <span data-kind="other">Not answered</span>
        </div>
      }
    >
      <div className={styles.chart}>
        <div className={`numeric ${styles.axis}`} aria-hidden="true">
          <span>{formatCount(max)}</span>
          <span>{formatCount(max / 2)}</span>
          <span>0</span>
        </div>
        <div className={styles.bars} aria-hidden="true" onMouseLeave={() => setActive(undefined)}>
          {buckets.map((day) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the same is in the table of the screen reader
            <div key={day.key} className={styles.bar} onMouseEnter={() => setActive(day)}>
              <span style={{ height: `${((day.calls - day.answered) / max) * 100}%` }} data-kind="other" />
              <span style={{ height: `${(day.answered / max) * 100}%` }} data-kind="answered" />
            </div>
          ))}
        </div>
        <div className={styles.dates} aria-hidden="true">
          <span>{dayName(buckets[0]?.key)}</span>
          <span>{dayName(buckets[Math.floor(buckets.length / 2)]?.key)}</span>
          <span>Today</span>
        </div>
      </div>
      <DaysTable buckets={buckets} />
    </Section>
  );
}

function DaysTable({ buckets }: { buckets: readonly Day[] }) {
  return (
    <table className="visually-hidden">
      <caption>Calls by day</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          <th scope="col">Calls</th>
          <th scope="col">Answered</th>
        </tr>
      </thead>
      <tbody>
        {buckets.map(({ key, calls, answered }) => (
          <tr key={key}>
            <th scope="row">{dayName(key)}</th>
            <td>{calls}</td>
            <td>{answered}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function dayName(key: string | null | undefined): string {
  return key ? dayFormat.format(new Date(`${key}T00:00:00Z`)) : '';
}

/** To a number whose half is a whole one: 2, 4, 10, 20, 40, 100, … */
function roundUp(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10) * power;
}
