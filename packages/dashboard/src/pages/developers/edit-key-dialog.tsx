import { Alert } from '@mantine/core';
import { type InfiniteData, useMutation, useQuery } from '@tanstack/react-query';
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
import { type ApiKey, formOf, type KeyForm, keyDraftName, keyQuery, settingsOf } from './key-form.ts';

type Props = {
  /** As it was when the dialog was opened. */
  opened: ApiKey;
  onClose: () => void;
};

/** The settings of a key; only those that the person has changed are sent [dashboard.61]. */
export function EditKeyDialog({ opened, onClose }: Props) {
  // As it is now: another person may change it, and newer keys may move it to a page of the list that is not loaded.
  const { data: apiKey = opened } = useQuery({ ...keyQuery(opened.id), initialData: opened });
  const shown = formOf(apiKey);
  const draft = useDraft(keyDraftName(apiKey.id), shown);
  const save = useMutation({
    mutationFn: async (sent: KeyForm) => {
      const stored = await queryClient.fetchQuery({ ...keyQuery(apiKey.id), staleTime: 0 });
      if (!stored.is_active || clashesUnseen(draft.base, sent, shown, formOf(stored))) return undefined;
      const settings = (form: KeyForm) => settingsOf(form, apiKey.type);
      const changes = changedFields(settings(draft.base), settings(sent));
      return Object.keys(changes).length === 0 ? stored : api.keys.change(apiKey.id, changes);
    },
    onSuccess: (saved, sent) => {
      if (!saved) return;
      queryClient.setQueryData(keyQuery(saved.id).queryKey, saved);
      replaceInList(saved);
      notifyDone('Saved. The settings apply within a second');
      // What was typed while it was saved is not saved yet.
      if (draft.settle(sent, formOf(saved))) onClose();
      void queryClient.invalidateQueries({ queryKey: LIST });
    },
  });
  const close = () => {
    if (!apiKey.is_active) draft.discard();
    onClose();
  };
  return (
    <FormDialog
      onClose={close}
      mutation={save}
      onSubmit={() => save.mutate(draft.value)}
      title={`Settings of “${apiKey.name}”`}
      submitLabel="Save"
      isSubmitDisabled={!apiKey.is_active}
      size="lg"
    >
      {apiKey.is_active ? <DraftNote draft={draft} /> : <RevokedNote by={apiKey.revoked_by} />}
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

/** That it was revoked while its settings are edited. */
function RevokedNote({ by }: { by: string | null }) {
  return (
    <Alert color="red" role="alert" title="This key was revoked">
      {by ? `It was revoked by ${by}: its` : 'Its'} settings cannot be saved any more. What you typed stays
      here until you close this.
    </Alert>
  );
}

/** The list of keys that the page shows. */
const LIST = ['keys'] as const;
type List = InfiniteData<{ items: readonly ApiKey[] }>;

function replaceInList(saved: ApiKey): void {
  queryClient.setQueryData<List>(LIST, (list) => {
    if (!list) return list;
    const replaced = (key: ApiKey) => (key.id === saved.id ? saved : key);
    return { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.map(replaced) })) };
  });
}
