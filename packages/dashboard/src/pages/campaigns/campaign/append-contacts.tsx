import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../app/client.ts';
import { isNotFound } from '../../../app/describe-error.ts';
import { plural } from '../../../app/format-number.ts';
import { notifyDone } from '../../../app/notify.ts';
import { Modal } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { DraftNote } from '../../../drafts/draft-note.tsx';
import { SentBeforeNote } from '../../../drafts/sent-before-note.tsx';
import { useSend } from '../../../drafts/use-send.ts';
import { ContactsStep } from '../create/contacts-step.tsx';
import { placeholdersOf } from '../create/placeholders.ts';
import { NO_LIST, useContactList } from '../create/use-contact-list.ts';
import { type Campaign, listDraftName } from './campaign-queries.ts';

type Props = { campaign: Campaign; onClose: () => void };

/** More contacts for a campaign, from a file or pasted. What was chosen stays when the dialog is closed. */
export function AppendContacts({ campaign, onClose }: Props) {
  const queryClient = useQueryClient();
  const { campaign_id: id, campaign_name, agent_id: agentId } = campaign;
  const assistant = useQuery({
    queryKey: ['assistant', agentId],
    queryFn: ({ signal }) => api.assistants.get(agentId, { signal }),
  });
  const config = assistant.data?.config;
  const placeholders = useMemo(
    () => placeholdersOf(`${config?.firstMessage ?? ''} ${config?.systemPrompt ?? ''}`),
    [config],
  );
  const list = useContactList(listDraftName(id), placeholders);
  const { contacts } = list.checked;
  const append = useSend(list.draft, {
    subject: () => `Contacts of “${campaign_name}”`,
    send: ({ skipDuplicates }, request) =>
      api.campaigns.addContacts(id, { contacts, skip_duplicates: skipDuplicates }, request),
    onSuccess: ({ added }, sent) => {
      notifyDone(`${plural(added, 'contact')} added.`);
      list.draft.settle(sent, NO_LIST);
      onClose();
      void queryClient.invalidateQueries({ queryKey: ['campaign', id] });
      void queryClient.invalidateQueries({ queryKey: ['contacts', id] });
    },
    onSentBefore: () => {
      // What was typed since stays.
      if (!list.draft.isDirty) onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      isBusy={append.isPending}
      title={`Add contacts to “${campaign_name}”`}
      size="xl"
    >
      <DraftNote draft={list.draft} mb="md" />
      {assistant.isError && !assistant.data && !isNotFound(assistant.error) ? (
        <ErrorNote
          error={assistant.error}
          title="The variables of the assistant could not be read"
          onRetry={() => void assistant.refetch()}
        />
      ) : null}
      <ContactsStep list={list} placeholders={placeholders} />
      <SentBeforeNote of={append} />
      {append.error ? (
        <ErrorNote error={append.error} title={append.isLost ? undefined : 'No contact was added'} />
      ) : null}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose} disabled={append.isPending}>
          Close
        </Button>
        <Button disabled={contacts.length === 0} loading={append.isPending} onClick={append.submit}>
          {contacts.length === 0 ? 'Add contacts' : `Add ${plural(contacts.length, 'contact')}`}
        </Button>
      </Group>
    </Modal>
  );
}
