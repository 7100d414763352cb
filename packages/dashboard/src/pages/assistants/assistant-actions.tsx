import { ActionIcon } from '@mantine/core';
import { IconCopy, IconDots, IconId, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { copyText } from '../../app/copy-text.ts';
import { notifyDone, notifyError } from '../../app/notify.ts';
import { Actions } from '../../components/actions.tsx';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { removeDraftsOf } from '../../drafts/draft-storage.ts';
import { useDraftKey } from '../../drafts/use-draft-key.ts';
import { duplicateAssistant } from './duplicate.ts';
import { draftName } from './model/draft.ts';

type Props = { id: string; name: string; isLarge?: boolean; onDelete?(): void };

/** Duplicate, copy the id, delete. */
export function AssistantActions({ id, name, isLarge = false, onDelete }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isCopying, setCopying] = useState(false);
  const draftKey = useDraftKey(draftName(id));
  const duplicate = async () => {
    setCopying(true);
    try {
      const copy = await duplicateAssistant(id);
      await client.invalidateQueries({ queryKey: ['assistants'] });
      await navigate({ to: '/assistants/$id', params: { id: copy.id }, search: {} });
      notifyDone(
        copy.toolsWithoutSecrets.length === 0
          ? `${name} is duplicated`
          : `Duplicated. Secrets cannot be copied: enter the headers of ${copy.toolsWithoutSecrets.join(', ')} again`,
      );
    } catch (error) {
      notifyError(error, `${name} could not be duplicated`);
    } finally {
      setCopying(false);
    }
  };
  const copyId = async () =>
    (await copyText(id)) ? notifyDone('The id is copied') : notifyDone(`The id, to copy: ${id}`);
  const remove = async () => {
    await api.assistants.delete(id);
    removeDraftsOf(draftKey);
    onDelete?.();
    await client.invalidateQueries({ queryKey: ['assistants'] });
    notifyDone(`${name} is deleted`);
    await navigate({ to: '/assistants', search: {} });
  };
  return (
    <ConfirmAction
      title={`Delete ${name}?`}
      confirmLabel="Delete assistant"
      typed={name}
      onConfirm={remove}
      trigger={(ask) => (
        <Actions
          button={
            <ActionIcon
              aria-label={`Actions of ${name}`}
              loading={isCopying}
              variant={isLarge ? 'default' : 'subtle'}
              size={isLarge ? 36 : 28}
            >
              <IconDots size={18} />
            </ActionIcon>
          }
          actions={[
            {
              label: 'Duplicate',
              icon: <IconCopy size={16} />,
              onClick: () => void duplicate(),
              minimum: 'developer',
            },
            { label: 'Copy id', icon: <IconId size={16} />, onClick: () => void copyId() },
            {
              label: 'Delete',
              icon: <IconTrash size={16} />,
              onClick: ask,
              minimum: 'developer',
              isDestructive: true,
            },
          ]}
        />
      )}
    >
      Its tools are deleted with it, numbers that it answers or calls from lose it, and past calls are kept
      without its name. A campaign that has not ended blocks this. It cannot be undone.
    </ConfirmAction>
  );
}
