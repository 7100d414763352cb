import { Group, NumberInput, Stack, Switch, Text } from '@mantine/core';
import type { BusinessHours } from '@parley/contracts';
import { minutesInWords } from '../minutes-in-words.ts';
import type { CampaignDraft, Problems } from './campaign-draft.ts';
import { HoursEditor } from './hours-editor.tsx';

type Props = {
  draft: CampaignDraft;
  zone: string;
  onChange: (changed: Partial<CampaignDraft>) => void;
  problems: Problems;
};

const MAX_RETRIES = 10;
const DEFAULT_MINUTES = 30;

/** When it may call, and how often it tries again. */
export function ScheduleStep({ draft, zone, onChange, problems }: Props) {
  const officeHours: BusinessHours = {
    tz: zone,
    days: [1, 2, 3, 4, 5],
    windows: [{ start: 540, end: 1020 }],
  };
  return (
    <Stack gap="xl">
      <section aria-label="Hours">
        <Switch
          label="Only at certain hours"
          description="Outside of them the campaign waits, and goes on by itself"
          checked={draft.hours !== null}
          onChange={(event) => onChange({ hours: event.currentTarget.checked ? officeHours : null })}
          mb={draft.hours ? 'md' : 0}
        />
        {draft.hours ? (
          <HoursEditor
            hours={draft.hours}
            onChange={(hours) => onChange({ hours })}
            problem={problems.hours}
          />
        ) : null}
      </section>
      <Retries draft={draft} onChange={onChange} problem={problems.retries} />
    </Stack>
  );
}

type RetriesProps = Pick<Props, 'draft' | 'onChange'> & { problem: string | undefined };

function Retries({ draft, onChange, problem }: RetriesProps) {
  const { maxRetries, retryMinutes } = draft;
  const setRetries = (value: number | string) => {
    const retries = Math.min(MAX_RETRIES, Math.max(0, Math.trunc(Number(value) || 0)));
    const last = retryMinutes.at(-1) ?? DEFAULT_MINUTES;
    onChange({
      maxRetries: retries,
      retryMinutes: Array.from(
        { length: Math.max(retries, retryMinutes.length) },
        (_, i) => retryMinutes[i] ?? last,
      ),
    });
  };
  return (
    <section aria-label="Retries">
      <NumberInput
        label="Retries"
        description="After no answer, busy, voicemail, or a failure of the line"
        value={maxRetries}
        onChange={setRetries}
        min={0}
        max={MAX_RETRIES}
        allowDecimal={false}
        styles={{ wrapper: { width: 140 } }}
        mb="md"
      />
      {maxRetries > 0 ? (
        <Group gap="sm" align="start">
          {retryMinutes.slice(0, maxRetries).map((minutes, i) => (
            <NumberInput
              key={i}
              label={`Before retry ${i + 1}`}
              suffix=" min"
              value={minutes}
              onChange={(value) =>
                onChange({
                  retryMinutes: retryMinutes.map((other, at) => (at === i ? Number(value) : other)),
                })
              }
              min={1}
              max={10_080}
              allowDecimal={false}
              clampBehavior="none"
              w={140}
            />
          ))}
        </Group>
      ) : null}
      {problem ? (
        <Text size="sm" c="red" mt="xs" role="alert">
          {problem}
        </Text>
      ) : (
        <Text size="sm" c="dimmed" mt="xs">
          {retryWords(retryMinutes.slice(0, maxRetries))}
        </Text>
      )}
    </section>
  );
}

function retryWords(minutes: readonly number[]): string {
  if (minutes.length === 0) return 'Everybody is called once.';
  return `Tries again ${minutes.map((wait) => `after ${minutesInWords(wait)}`).join(', then ')}.`;
}
