import { NumberInput, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type WorkspaceSettings, workspaceQuery } from '../../app/workspace.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { OutdatedNote } from '../../components/outdated-note.tsx';
import { useRole } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { ErasureSection } from './erasure-section.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSettingsForm } from './use-settings-form.ts';

const FIELDS = [
  { name: 'retain_calls_days', label: 'Calls, with their transcripts and all other data' },
  { name: 'retain_recordings_days', label: 'Recordings, from the end of their call' },
  { name: 'retain_attempts_days', label: 'Webhook events and delivery attempts (attempts: 400 at most)' },
  { name: 'retain_contacts_days', label: 'Contacts, from the end of their campaign' },
] as const;
type Name = (typeof FIELDS)[number]['name'];
type Days = Record<Name, number | string>;

export function RetentionPanel() {
  const query = useQuery(workspaceQuery);
  const { data, error, refetch } = query;
  if (!data)
    return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />;
  return (
    <>
      <OutdatedNote query={query} />
      <Section
        title="Data retention"
        description="Days for which data is kept. What is older is removed for good, in the background. Empty: the default of the operator."
      >
        <RetentionForm settings={data} />
      </Section>
      <ErasureSection />
    </>
  );
}

function RetentionForm({ settings }: { settings: WorkspaceSettings }) {
  const { reason, isAllowed } = useRole('owner');
  const { draft, save, isSaving, error, errors } = useSettingsForm({
    name: 'retention',
    settings,
    toForm: (from) => Object.fromEntries(FIELDS.map(({ name }) => [name, from[name] ?? ''])) as Days,
    toChanges: (value) =>
      Object.fromEntries(FIELDS.map(({ name }) => [name, value[name] === '' ? null : Number(value[name])])),
  });
  return (
    <SettingsForm
      draft={draft}
      onSave={save}
      isSaving={isSaving}
      error={error}
      reason={reason}
      what="the retention"
    >
      {FIELDS.map(({ name, label }) => (
        <NumberInput
          key={name}
          label={label}
          placeholder="Default"
          min={1}
          max={36_500}
          allowDecimal={false}
          suffix=" days"
          value={draft.value[name]}
          onChange={(value) => draft.set((former) => ({ ...former, [name]: value }))}
          error={errors[name]}
          disabled={!isAllowed}
        />
      ))}
    </SettingsForm>
  );
}
