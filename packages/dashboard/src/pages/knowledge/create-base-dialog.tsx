import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useSend } from '../../drafts/use-send.ts';

const NOTHING = { name: '' };

type Props = { onClose(): void; onCreated(id: string): void };

/** The name of a new knowledge base. Loaded when it is opened. */
export function CreateBaseDialog({ onClose, onCreated }: Props) {
  const draft = useDraft('knowledge/new', NOTHING);
  const { name } = draft.value;
  const client = useQueryClient();
  const create = useSend(draft, {
    subject: (sent) => `Knowledge base “${sent.name.trim()}”`,
    send: (sent, request) => api.knowledgeBases.create({ name: sent.name.trim() }, request),
    onSuccess: async ({ id, name: made }, sent, isOpen) => {
      draft.settle(sent, NOTHING);
      await client.invalidateQueries({ queryKey: ['knowledge', 'bases'] });
      if (!isOpen) return notifyDone(`The knowledge base “${made}” is created`);
      onClose();
      onCreated(id);
    },
    onSentBefore: () => {
      // What was typed since stays.
      if (!draft.isDirty) onClose();
    },
  });
  const nameError = errorsByField(create.error).name;
  return (
    <FormDialog
      onClose={onClose}
      mutation={create}
      onSubmit={create.submit}
      title="New knowledge base"
      submitLabel="Create"
      isSubmitDisabled={name.trim() === ''}
      hidesError={nameError !== undefined}
    >
      <DraftNote draft={draft} />
      <TextInput
        label="Name"
        description="For you; callers never hear it."
        placeholder="House rules"
        value={name}
        onChange={(event) => draft.set({ name: event.currentTarget.value })}
        error={nameError}
        maxLength={255}
        data-autofocus
      />
    </FormDialog>
  );
}
