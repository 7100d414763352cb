import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, queryClient } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import type { ApiKey } from './key-columns.tsx';
import { KeyFields } from './key-fields.tsx';
import { formOf, type KeyForm, settingsOf } from './key-form.ts';

type Props = { apiKey: ApiKey; onClose: () => void };

export function EditKeyDialog({ apiKey, onClose }: Props) {
  const [form, setForm] = useState<KeyForm>(() => formOf(apiKey));
  const save = useMutation({
    mutationFn: () => api.keys.change(apiKey.id, settingsOf(form, apiKey.type)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['keys'] });
      notifyDone('Saved. The settings apply within a second');
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Settings of “${apiKey.name}”`} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <KeyFields
            type={apiKey.type}
            form={form}
            onChange={(changes) => setForm((former) => ({ ...former, ...changes }))}
            errors={errorsByField(save.error)}
          />
          {save.error ? <ErrorNote error={save.error} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
