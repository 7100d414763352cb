import { Text } from '@mantine/core';
import { formatCount, formatShare } from '../../../app/format-number.ts';
import { minutesInWords } from '../minutes-in-words.ts';
import { ProgressBar, type ProgressPart } from '../progress-bar.tsx';
import { paceOf, rateWords } from './campaign-pace.ts';
import styles from './campaign-progress.module.css';
import { type Campaign, type Explanation, isOver } from './campaign-queries.ts';
import { useRate } from './use-rate.ts';

type Props = { campaign: Campaign; explanation: Explanation | undefined };

/** How far it is, how fast, and when it will be done; of one that has ended how long it took. */
export function CampaignProgress({ campaign, explanation }: Props) {
  const { total_contacts: total, completed_calls: done, successful_calls: reached } = campaign;
  const rate = useRate(
    explanation?.at,
    explanation && explanation.contacts.succeeded + explanation.contacts.failed,
  );
  const isRunning = campaign.status === 'running';
  const parts = partsOf(campaign, explanation);
  const inCalls = explanation?.contacts.in_progress ?? 0;
  const dialing = explanation?.contacts.dialing ?? 0;
  const pace = isOver(campaign.status) && inCalls + dialing === 0 ? paceOf(campaign) : undefined;
  return (
    <section className={`card ${styles.progress}`} aria-label="Progress">
      <div className={styles.figures}>
        <Figure name="Done" value={formatShare(total === 0 ? 0 : done / total)}>
          {formatCount(done)} of {formatCount(total)}
        </Figure>
        <Figure name="Reached" value={done === 0 ? '–' : formatShare(reached / done)}>
          {formatCount(reached)} of {formatCount(done)}
        </Figure>
        {pace ? (
          <>
            <Figure name="Took" value={pace.duration}>
              from its start to its end
            </Figure>
            <Figure name="Average rate" value={pace.rate}>
              finished contacts
            </Figure>
          </>
        ) : (
          <>
            <Figure name="In calls" value={formatCount(inCalls)}>
              {formatCount(dialing)} being dialed
            </Figure>
            <Figure name="Rate" value={isRunning && rate !== undefined ? rateWords(rate) : '–'}>
              {isRunning ? leftWords(total - done, rate) : 'finished contacts'}
            </Figure>
          </>
        )}
      </div>
      <ProgressBar total={total} parts={parts} isLarge />
      <ul className={styles.legend}>
        {parts
          .filter(({ count, isAlways }) => count > 0 || isAlways)
          .map(({ label, count, color }) => (
            <li key={label}>
              <span className={styles.swatch} data-color={color === 'none' ? undefined : color} aria-hidden />
              {formatCount(count)} {label}
            </li>
          ))}
      </ul>
    </section>
  );
}

function Figure({ name, value, children }: { name: string; value: string; children: React.ReactNode }) {
  return (
    <div className={styles.figure}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <div className={styles.value}>{value}</div>
      <Text size="xs" c="dimmed">
        {children}
      </Text>
    </div>
  );
}

type Part = ProgressPart & { isAlways?: boolean };

function partsOf(campaign: Campaign, explanation: Explanation | undefined): Part[] {
  const contacts = explanation?.contacts;
  const { successful_calls, failed_calls, total_contacts } = campaign;
  const live = contacts?.in_progress ?? 0;
  const dialing = contacts?.dialing ?? 0;
  const retry = (contacts?.retry_due ?? 0) + (contacts?.retry_later ?? 0);
  const rest = total_contacts - successful_calls - failed_calls - live - dialing - retry;
  const waiting = campaign.status === 'cancelled' ? 'not called' : 'waiting';
  return [
    { label: 'reached', count: successful_calls, color: 'good', isAlways: true },
    { label: 'not reached', count: failed_calls, color: 'bad', isAlways: true },
    { label: 'in calls', count: live, color: 'live' },
    { label: 'being dialed', count: dialing, color: 'dialing' },
    { label: 'will be tried again', count: retry, color: 'retry' },
    // The two requests are not of the same instant.
    { label: waiting, count: Math.max(0, rest), color: 'none' },
  ];
}

function leftWords(left: number, rate: number | undefined): string {
  if (rate === undefined || rate === 0 || left === 0) return 'finished contacts';
  const minutes = Math.ceil(left / rate / 60);
  return minutes <= 1 ? 'about a minute left' : `about ${minutesInWords(minutes)} left`;
}
