import { Select, Skeleton, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCents, formatCount } from '../../app/format-number.ts';
import { type WorkspaceSettings, workspaceQuery } from '../../app/workspace.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { OutdatedNote } from '../../components/outdated-note.tsx';
import { useRole } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import styles from './settings.module.css';
import { SettingsForm } from './settings-form.tsx';
import { useSettingsForm } from './use-settings-form.ts';

export function WorkspacePanel() {
  const query = useQuery(workspaceQuery);
  const { data, error, refetch } = query;
  if (!data)
    return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />;
  return (
    <>
      <OutdatedNote query={query} />
      <Section title="Workspace">
        <NameForm settings={data} />
      </Section>
      <Section
        title="Spending and destinations"
        description="Checked before each call, transfer and text message."
      >
        <SpendingForm settings={data} />
      </Section>
      <Section title="Limits and prices" description="Set by the operator of this installation.">
        <Facts settings={data} />
      </Section>
    </>
  );
}

type Props = { settings: WorkspaceSettings };

function NameForm({ settings }: Props) {
  const { reason, isAllowed } = useRole('admin');
  const { draft, save, isSaving, error, errors } = useSettingsForm({
    name: 'name',
    settings,
    toForm: ({ name, time_zone }) => ({ name, time_zone }),
    toChanges: (value) => value,
  });
  return (
    <SettingsForm
      draft={draft}
      onSave={save}
      isSaving={isSaving}
      error={error}
      reason={reason}
      what="the workspace"
    >
      <TextInput
        label="Name"
        value={draft.value.name}
        onChange={(event) => {
          const name = event.currentTarget.value;
          draft.set((former) => ({ ...former, name }));
        }}
        error={errors.name}
        disabled={!isAllowed}
        maxLength={255}
        required
        withAsterisk={false}
      />
      <Select
        label="Time zone"
        description="Times are shown in it, and days begin in it."
        data={zonesWith(settings.time_zone)}
        value={draft.value.time_zone}
        onChange={(zone) => draft.set((former) => ({ ...former, time_zone: zone ?? former.time_zone }))}
        error={errors.time_zone}
        disabled={!isAllowed}
        searchable
        limit={200}
        allowDeselect={false}
      />
    </SettingsForm>
  );
}

function zonesWith(current: string): string[] {
  return [...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')])].sort();
}

function SpendingForm({ settings }: Props) {
  const { reason, isAllowed } = useRole('owner');
  const { draft, save, isSaving, error, errors } = useSettingsForm({
    name: 'spending',
    settings,
    toForm: ({ daily_spend_limit_cents: cents, allowed_destinations: destinations }) => ({
      limit: cents === null ? '' : String(cents / 100),
      destinations,
    }),
    toChanges: ({ limit, destinations }) => ({
      daily_spend_limit_cents: limit === '' ? null : Math.round(Number(limit) * 100),
      allowed_destinations: destinations,
    }),
  });
  const destinationError = Object.keys(errors).find((path) => path.startsWith('allowed_destinations'));
  return (
    <SettingsForm
      draft={draft}
      onSave={save}
      isSaving={isSaving}
      error={error}
      reason={reason}
      what="the limits"
    >
      <TextInput
        type="number"
        label={`Daily spend limit, in ${settings.currency}`}
        description="Per day in UTC. No call is dialed beyond it. Empty: no limit."
        placeholder="No limit"
        min={0}
        step={0.01}
        value={draft.value.limit}
        onChange={(event) => {
          const limit = event.currentTarget.value;
          draft.set((former) => ({ ...former, limit }));
        }}
        error={errors.daily_spend_limit_cents}
        disabled={!isAllowed}
      />
      <TagsInput
        label="Allowed destinations"
        description="First digits of numbers that may be called, such as +49. Press Enter after each."
        placeholder={draft.value.destinations.length === 0 ? 'Everywhere' : undefined}
        value={draft.value.destinations}
        onChange={(allowed) => draft.set((former) => ({ ...former, destinations: allowed }))}
        error={destinationError ? errors[destinationError] : undefined}
        disabled={!isAllowed}
      />
    </SettingsForm>
  );
}

function Facts({ settings }: Props) {
  return (
    <dl className={styles.facts}>
      <dt>Concurrent calls</dt>
      <dd className="numeric">{formatCount(settings.max_live_calls)}</dd>
      <dt>Requests per minute</dt>
      <dd className="numeric">{formatCount(settings.requests_per_minute)}</dd>
      <dt>Price per minute</dt>
      <dd className="numeric">{formatCents(settings.rate_cents, settings.currency)}</dd>
      <dt>Created</dt>
      <dd>
        <Time at={settings.created_at} />
      </dd>
      <dt>Workspace id</dt>
      <dd>
        <code>{settings.workspace_id}</code> <CopyButton value={settings.workspace_id} what="workspace id" />
      </dd>
    </dl>
  );
}
