import { Skeleton } from '@mantine/core';
import { IconCircleCheck, IconClockPause } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatCount } from '../../../app/format-number.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Section } from '../../../components/section.tsx';
import { Time } from '../../../components/time.tsx';
import styles from './campaign-explanation.module.css';
import { type Explanation, isOver } from './campaign-queries.ts';

type Props = { explanation: Explanation | undefined; error: unknown; onRetry: () => void };

/** Why it dials, or does not, in words; and the facts behind it. */
export function CampaignExplanation({ explanation, error, onRetry }: Props) {
  const hasEnded = explanation !== undefined && isOver(explanation.state);
  return (
    <Section title={hasEnded ? 'How it ended' : 'What it is doing'}>
      {!explanation && error ? <ErrorNote error={error} onRetry={onRetry} /> : null}
      {!explanation && !error ? <Skeleton height={80} aria-label="The explanation is loading" /> : null}
      {explanation ? (
        <>
          <ul className={styles.reasons} aria-live="polite">
            {explanation.reasons.map(({ code, message }) => (
              <li key={code}>
                {code === 'dialling' || code === 'completed' ? (
                  <IconCircleCheck size={18} aria-hidden className={styles.good} />
                ) : (
                  <IconClockPause size={18} aria-hidden className={styles.waits} />
                )}
                <span>{message}</span>
              </li>
            ))}
          </ul>
          {/* Hours and pace decide nothing any more. */}
          {hasEnded ? null : <Facts explanation={explanation} />}
        </>
      ) : null}
    </Section>
  );
}

function Facts({ explanation }: { explanation: Explanation }) {
  const { hours, pace, concurrency, carrier, circuit, contacts } = explanation;
  return (
    <dl className={styles.facts}>
      <Fact name="Hours">{hoursFact(hours)}</Fact>
      {pace ? (
        <Fact name="Pace">{`${pace.max_cps} a second, ${formatCount(pace.waiting)} waiting for the number`}</Fact>
      ) : null}
      {concurrency ? (
        <Fact name="Calls at a time">
          {formatCount(concurrency.live)}
          {concurrency.most === null ? '' : ` of ${formatCount(concurrency.most)}`}
        </Fact>
      ) : null}
      {carrier?.last_failed_at ? (
        <Fact name="Carrier">
          Last failure <Time at={carrier.last_failed_at} />
        </Fact>
      ) : null}
      {circuit && circuit.state !== 'closed' ? (
        <Fact name="Circuit">
          Open after {circuit.failures_in_a_row} failures; next try <Time at={circuit.next_probe_at} />
        </Fact>
      ) : null}
      {contacts.next_retry_at ? (
        <Fact name="Next retry">
          <Time at={contacts.next_retry_at} />
        </Fact>
      ) : null}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function hoursFact({ is_open, tz, next_opening_at, next_closing_at }: Explanation['hours']): ReactNode {
  if (tz === null) return 'Always open';
  const edge = is_open ? next_closing_at : next_opening_at;
  return (
    <>
      {is_open ? 'Open' : 'Closed'}
      {edge === null ? null : (
        <>
          {is_open ? ' until ' : ', opens '}
          <Time at={edge} />
        </>
      )}
    </>
  );
}
