import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { Modal } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';

const NOTHING = { name: '' };

type Props = { onClose(): void; onCreated(id: string): void };

/** The name of a new knowledge base. Loaded when it is opened. */
export function CreateBaseDialog({ onClose, onCreated }: Props) {
  const draft = useDraft('knowledge/new', NOTHING);
  const { name } = draft.value;
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => api.knowledgeBases.create({ name: name.trim() }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['knowledge', 'bases'] });
      draft.discard();
      onClose();
      onCreated(id);
    },
  });
  const nameError = errorsByField(create.error).name;
  return (
    <Modal opened onClose={onClose} isBusy={create.isPending} title="New knowledge base">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          create.mutate();
        }}
      >
        <Stack>
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
          {create.isError && !nameError && <ErrorNote error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} disabled={create.isPending}>
              Close
            </Button>
            <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
