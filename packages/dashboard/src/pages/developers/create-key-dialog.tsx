import { SegmentedControl, Select } from '@mantine/core';
import { api, queryClient } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { ShownOnceDialog } from '../../components/shown-once-dialog.tsx';
import { ShownOnceGuard } from '../../components/shown-once-guard.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useSend } from '../../drafts/use-send.ts';
import { KeyFields } from './key-fields.tsx';
import { type ApiKey, EMPTY_FORM, type KeyForm, settingsOf } from './key-form.ts';

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

const NO_KEY: { type: ApiKey['type']; form: KeyForm; days: string } = {
  type: 'private',
  form: EMPTY_FORM,
  days: '',
};

/** Makes a key and shows it, once. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const draft = useDraft('keys/new', NO_KEY);
  const { type, form, days } = draft.value;
  const create = useSend(draft, {
    subject: (sent) => `API key “${sent.form.name.trim()}”`,
    send: (sent, request, at) =>
      api.keys.create(
        {
          type: sent.type,
          ...settingsOf(sent.form, sent.type),
          expires_at: sent.days === '' ? null : new Date(at + Number(sent.days) * DAY_MS).toISOString(),
        },
        request,
      ),
    onSuccess: (_, sent) => {
      draft.settle(sent, NO_KEY);
      void queryClient.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  const guard = <ShownOnceGuard what="key" isActive={create.isPending || create.data !== undefined} />;
  if (create.data)
    return (
      <>
        {guard}
        <ShownOnceDialog
          title={`The key “${create.data.name}”`}
          value={create.data.key}
          what="key"
          closeLabel="I have stored it"
          onClose={onClose}
        >
          Copy it now. It is not shown again, and Parley stores only a hash of it. Send it as{' '}
          <code>Authorization: Bearer …</code>
        </ShownOnceDialog>
      </>
    );
  const errors = errorsByField(create.error);
  return (
    <>
      {guard}
      <FormDialog
        onClose={onClose}
        mutation={create}
        onSubmit={create.submit}
        title="Create a key"
        submitLabel="Create the key"
        size="lg"
      >
        <DraftNote draft={draft} />
        <SegmentedControl
          aria-label="Type"
          value={type}
          onChange={(value) => draft.change({ type: value === 'public' ? 'public' : 'private' })}
          data={[
            { value: 'private', label: 'Private, for servers' },
            { value: 'public', label: 'Public, for web pages' },
          ]}
        />
        <KeyFields
          type={type}
          form={form}
          onChange={(changes) => draft.set((former) => ({ ...former, form: { ...former.form, ...changes } }))}
          errors={errors}
        />
        <Select
          label="Expires"
          data={EXPIRIES}
          value={days}
          onChange={(value) => draft.change({ days: value ?? '' })}
          allowDeselect={false}
        />
      </FormDialog>
    </>
  );
}
