import { Button, Group, Modal, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import styles from './create-assistant.module.css';
import { TEMPLATES } from './model/templates.ts';
import { assistantQuery } from './queries.ts';

/** Name and template of a new assistant. Loaded when it is opened. */
export function CreateAssistantDialog({ onClose }: { onClose(): void }) {
  return (
    <Modal opened onClose={onClose} title="New assistant" size="lg">
      <CreateForm onClose={onClose} />
    </Modal>
  );
}

function CreateForm({ onClose }: { onClose(): void }) {
  const [templateId, setTemplateId] = useState(TEMPLATES[0]?.id ?? '');
  const [name, setName] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const template = TEMPLATES.find(({ id }) => id === templateId);
  const create = useMutation({
    mutationFn: () =>
      api.assistants.create({
        agent_name:
          name.trim() || (template?.id === 'blank' ? 'New assistant' : (template?.name ?? 'New assistant')),
        config: template?.config ?? {},
      }),
    onSuccess: async (assistant) => {
      client.setQueryData(assistantQuery(assistant.id).queryKey, assistant);
      void client.invalidateQueries({ queryKey: ['assistants'] });
      onClose();
      await navigate({ to: '/assistants/$id', params: { id: assistant.id }, search: {} });
    },
  });
  const nameError = errorsByField(create.error).agent_name;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <Stack gap="md">
        <TextInput
          label="Name"
          placeholder={template?.id === 'blank' ? 'Ada' : template?.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={nameError}
          maxLength={255}
          data-autofocus
        />
        <Radio.Group label="Begin with" value={templateId} onChange={setTemplateId}>
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
        {create.isError && !nameError && <ErrorNote error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
