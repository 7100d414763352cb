import { Skeleton, Text } from '@mantine/core';
import { formatCount, formatShare } from '../../app/format-number.ts';
import { Section } from '../../components/section.tsx';
import { endingOf } from '../calls/how-it-ended.ts';
import styles from './home.module.css';
import type { Days } from './use-home.ts';

/** How the calls of the last 30 days have ended. */
export function Outcomes({ days }: { days: Days | undefined }) {
  const outcomes = Object.entries(days?.totals.outcomes ?? {})
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  const calls = days?.totals.calls ?? 0;
  return (
    <Section title="How calls end" description="Last 30 days">
      {days ? null : <Skeleton height={120} />}
      {days && outcomes.length === 0 ? (
        <Text size="sm" c="dimmed">
          No call has ended yet.
        </Text>
      ) : null}
      <ul className={styles.outcomes}>
        {outcomes.map(([reason, count]) => {
          const { label, tone } = endingOf(reason);
          return (
            <li key={reason}>
              <span>{label}</span>
              <span className="numeric">
                {formatCount(count)} <small>{formatShare(count / calls)}</small>
              </span>
              <span className={styles.track} aria-hidden="true">
                <span data-tone={tone} style={{ width: `${(count / (outcomes[0]?.[1] ?? 1)) * 100}%` }} />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
