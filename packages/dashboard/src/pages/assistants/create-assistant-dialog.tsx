import { Group, Radio, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useSend } from '../../drafts/use-send.ts';
import styles from './create-assistant.module.css';
import { TEMPLATES } from './model/templates.ts';
import { assistantQuery } from './queries.ts';

const NOTHING = { name: '', templateId: TEMPLATES[0]?.id ?? '' };

/** Name and template of a new assistant. Loaded when it is opened. */
export function CreateAssistantDialog({ onClose }: { onClose(): void }) {
  const draft = useDraft('assistant/new', NOTHING);
  const { name, templateId } = draft.value;
  const client = useQueryClient();
  const navigate = useNavigate();
  const template = TEMPLATES.find(({ id }) => id === templateId);
  const nameOf = (sent: typeof NOTHING): string =>
    sent.name.trim() || (template?.id === 'blank' ? 'New assistant' : (template?.name ?? 'New assistant'));
  const create = useSend(draft, {
    subject: (sent) => `Assistant “${nameOf(sent)}”`,
    send: (sent, request) =>
      api.assistants.create(
        {
          agent_name: nameOf(sent),
          config: template?.config ?? {},
        },
        request,
      ),
    onSuccess: async (assistant, sent, isOpen) => {
      draft.settle(sent, NOTHING);
      client.setQueryData(assistantQuery(assistant.id).queryKey, assistant);
      void client.invalidateQueries({ queryKey: ['assistants'] });
      if (!isOpen) return notifyDone(`The assistant “${assistant.agent_name}” is created`);
      onClose();
      await navigate({ to: '/assistants/$id', params: { id: assistant.id }, search: {} });
    },
    onSentBefore: () => {
      // What was typed since stays.
      if (!draft.isDirty) onClose();
    },
  });
  const nameError = errorsByField(create.error).agent_name;
  return (
    <FormDialog
      onClose={onClose}
      mutation={create}
      onSubmit={create.submit}
      title="New assistant"
      submitLabel="Create"
      hidesError={nameError !== undefined}
      size="lg"
    >
      <DraftNote draft={draft} />
      <TextInput
        label="Name"
        placeholder={template?.id === 'blank' ? 'Ada' : template?.name}
        value={name}
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
        error={nameError}
        maxLength={255}
        data-autofocus
      />
      <Radio.Group label="Begin with" value={templateId} onChange={(id) => draft.change({ templateId: id })}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt={6}>
          {TEMPLATES.map(({ id, name: title, purpose }) => (
            <Radio.Card key={id} value={id} className={styles.template} radius="md" p="sm">
              <Group wrap="nowrap" align="flex-start" gap="sm">
                <Radio.Indicator mt={2} />
                <div>
                  <Text size="sm" fw={600}>
                    {title}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {purpose}
                  </Text>
                </div>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
    </FormDialog>
  );
}
