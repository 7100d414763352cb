import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { RoleGate } from '../../components/role-gate.tsx';

type Props = { onCreated(id: string): void; isPrimary?: boolean };

/** A button that asks for a name and creates a knowledge base. */
export function CreateBase({ onCreated, isPrimary = false }: Props) {
  const [isOpen, { open, close }] = useDisclosure();
  const [name, setName] = useState('');
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => api.knowledgeBases.create({ name: name.trim() }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['knowledge', 'bases'] });
      close();
      setName('');
      onCreated(id);
    },
  });
  const nameError = errorsByField(create.error).name;
  return (
    <>
      <RoleGate minimum="developer">
        <Button
          variant={isPrimary ? 'filled' : 'default'}
          leftSection={<IconPlus size={16} />}
          onClick={open}
        >
          New knowledge base
        </Button>
      </RoleGate>
      <Modal opened={isOpen} onClose={close} title="New knowledge base">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation();
            create.mutate();
          }}
        >
          <Stack>
            <TextInput
              label="Name"
              description="For you; callers never hear it."
              placeholder="House rules"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={nameError}
              maxLength={255}
              data-autofocus
            />
            {create.isError && !nameError && <ErrorNote error={create.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
                Create
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
