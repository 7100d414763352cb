import { type InfiniteData, useMutation } from '@tanstack/react-query';
import { Suspense } from 'react';
import { api, queryClient } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { changedFields, clashesUnseen } from '../../drafts/differences.ts';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { ConflictGuard } from '../../drafts/lazy-conflict-guard.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { KeyFields } from './key-fields.tsx';
import { type ApiKey, formOf, type KeyForm, keyDraftName, settingsOf } from './key-form.ts';

type Props = { apiKey: ApiKey; onClose: () => void };

/** The settings of a key; only those that the person has changed are sent [dashboard.61]. */
export function EditKeyDialog({ apiKey, onClose }: Props) {
  const draft = useDraft(keyDraftName(apiKey.id), formOf(apiKey));
  const save = useMutation({
    mutationFn: async () => {
      const stored = await readAgain(apiKey.id);
      if (stored && clashesUnseen(draft.base, draft.value, formOf(apiKey), formOf(stored))) return false;
      const settings = (form: KeyForm) => settingsOf(form, apiKey.type);
      const changes = changedFields(settings(draft.base), settings(draft.value));
      if (Object.keys(changes).length > 0) await api.keys.change(apiKey.id, changes);
      return true;
    },
    onSuccess: async (isSaved) => {
      if (!isSaved) return;
      await queryClient.invalidateQueries({ queryKey: ['keys'] });
      notifyDone('Saved. The settings apply within a second');
      draft.discard();
      onClose();
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      mutation={save}
      title={`Settings of “${apiKey.name}”`}
      submitLabel="Save"
      size="lg"
    >
      <DraftNote draft={draft} />
      <KeyFields
        type={apiKey.type}
        form={draft.value}
        onChange={draft.change}
        errors={errorsByField(save.error)}
      />
      <Suspense>
        {draft.theirs === undefined ? null : <ConflictGuard draft={draft} what="this key" />}
      </Suspense>
    </FormDialog>
  );
}

/** A key as it is stored now, from the list that shows it. */
async function readAgain(id: string): Promise<ApiKey | undefined> {
  const filter = { queryKey: ['keys'], exact: true };
  await queryClient.refetchQueries(filter, { throwOnError: true });
  const list = queryClient.getQueryData<InfiniteData<{ items: readonly ApiKey[] }>>(filter.queryKey);
  return list?.pages.flatMap(({ items }) => items).find((key) => key.id === id);
}
