import { Radio, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { plural } from '../../../app/format-number.ts';
import { formatPhone } from '../../../app/format-phone.ts';
import { hoursInWords } from '../hours.ts';
import { minutesInWords } from '../minutes-in-words.ts';
import type { CampaignDraft, Problems, StepIndex } from './campaign-draft.ts';
import styles from './review-step.module.css';

type Props = {
  draft: CampaignDraft;
  assistantName: string | undefined;
  contacts: number;
  badRows: number;
  /** Calls per second of the number. */
  pace: number | undefined;
  zone: string;
  onChange: (changed: Partial<CampaignDraft>) => void;
  onEdit: (step: StepIndex) => void;
  problems: Problems;
};

/** Everything at a glance, and when it begins. */
export function ReviewStep(props: Props) {
  const { draft, assistantName, contacts, badRows, pace, zone, onChange, onEdit, problems } = props;
  return (
    <Stack gap="xl">
      <dl className={styles.facts}>
        <Fact name="Name" step={0} onEdit={onEdit}>
          {draft.name}
        </Fact>
        <Fact name="Assistant" step={0} onEdit={onEdit}>
          {assistantName ?? '…'}
        </Fact>
        <Fact name="Calls from" step={0} onEdit={onEdit}>
          {draft.phoneNumber === null ? '–' : formatPhone(draft.phoneNumber)}
        </Fact>
        <Fact name="Contacts" step={1} onEdit={onEdit}>
          {plural(contacts, 'contact')}
          {badRows > 0 ? (
            <Text size="xs" className={styles.note}>{`${plural(badRows, 'row')} left out`}</Text>
          ) : null}
          {pace === undefined ? null : (
            <Text size="xs" c="dimmed">
              {`At ${pace} a second, dialing everybody once takes ${minutesWords(contacts / pace)}.`}
            </Text>
          )}
        </Fact>
        <Fact name="Hours" step={2} onEdit={onEdit}>
          {hoursInWords(draft.hours)}
        </Fact>
        <Fact name="Retries" step={2} onEdit={onEdit}>
          {draft.maxRetries === 0
            ? 'None'
            : `${draft.maxRetries}: ${draft.retryMinutes
                .slice(0, draft.maxRetries)
                .map((minutes) => `after ${minutesInWords(minutes)}`)
                .join(', ')}`}
        </Fact>
      </dl>
      <Radio.Group
        label="Start"
        value={draft.start}
        onChange={(start) => onChange({ start: start as CampaignDraft['start'] })}
      >
        <Stack gap="sm" mt="xs">
          <Radio value="draft" label="Not yet" description="It stays a draft until you start it" />
          <Radio
            value="now"
            label="Now"
            description="It dials as soon as it is created and its hours allow"
          />
          <Radio
            value="later"
            label="At a time"
            description={`In the time zone ${zone.replaceAll('_', ' ')}`}
          />
          {draft.start === 'later' ? (
            <TextInput
              type="datetime-local"
              aria-label="Start at"
              value={draft.startAt}
              onChange={(event) => onChange({ startAt: event.currentTarget.value })}
              error={problems.startAt}
              maw={240}
              ml={30}
            />
          ) : null}
        </Stack>
      </Radio.Group>
    </Stack>
  );
}

type FactProps = { name: string; step: StepIndex; onEdit: Props['onEdit']; children: ReactNode };

function Fact({ name, step, onEdit, children }: FactProps) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>
        <div className={styles.value}>{children}</div>
        <button
          type="button"
          className={styles.edit}
          onClick={() => onEdit(step)}
          aria-label={`Change: ${name}`}
        >
          Change
        </button>
      </dd>
    </div>
  );
}

function minutesWords(seconds: number): string {
  return seconds < 90
    ? plural(Math.max(1, Math.round(seconds)), 'second')
    : minutesInWords(Math.round(seconds / 60));
}
