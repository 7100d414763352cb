import { Skeleton } from '@mantine/core';
import { formatCents, formatCount, formatShare } from '../../app/format-number.ts';
import styles from './home.module.css';
import { Sparkline } from './sparkline.tsx';
import type { Day, Days } from './use-home.ts';

type Figure = {
  label: string;
  value: (day: Day) => string;
  /** For the line, and to compare today with yesterday. */
  measure: (day: Day) => number | null;
  hint: string;
  isShare?: boolean;
};

const SHOWN_DAYS = 14;

/** What has happened today, and how that compares to the days before. */
export function Figures({ days }: { days: Days | undefined }) {
  const recent = days?.buckets.slice(-SHOWN_DAYS) ?? [];
  const today = recent.at(-1);
  const yesterday = recent.at(-2);
  const currency = days?.currency ?? 'USD';
  return (
    <dl className={styles.figures}>
      {figuresIn(currency).map(({ label, value, measure, hint, isShare }) => (
        <div key={label} className={`card ${styles.figure}`} title={hint}>
          <dt>{label}</dt>
          {today ? (
            <dd>
              <span className={`numeric ${styles.value}`}>{value(today)}</span>
              <Sparkline values={recent.map((day) => measure(day) ?? 0)} top={isShare ? 1 : undefined} />
              <small>
                {yesterday && measure(yesterday) !== null
                  ? `${value(yesterday)} yesterday`
                  : 'none yesterday'}
              </small>
            </dd>
          ) : (
            <dd>
              <Skeleton height={26} width={70} mt={4} mb={30} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

const figuresIn = (currency: string): Figure[] => [
  {
    label: 'Calls today',
    value: ({ calls }) => formatCount(calls),
    measure: ({ calls }) => calls,
    hint: 'Calls that have ended today, in the time zone of the workspace',
  },
  {
    label: 'Answer rate',
    value: ({ answer_rate: rate }) => formatShare(rate),
    measure: ({ answer_rate: rate }) => rate,
    isShare: true,
    hint: 'Share of the calls that were answered',
  },
  {
    label: 'Success rate',
    value: ({ success_rate: rate }) => formatShare(rate),
    measure: ({ success_rate: rate }) => rate,
    isShare: true,
    hint: 'Share of the calls that reached a human, or left their message on a voicemail',
  },
  {
    label: 'Minutes',
    value: ({ minutes }) => formatCount(Math.round(minutes)),
    measure: ({ minutes }) => minutes,
    hint: 'Talk time in minutes',
  },
  {
    label: 'Cost',
    value: ({ cost }) => formatCents(cost, currency),
    measure: ({ cost }) => cost,
    hint: 'Cost of the calls',
  },
];
