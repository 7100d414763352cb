import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { noteAnswer, ofUnanswered } from '../../app/unanswered.ts';
import { Modal } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useAssistantOptions } from '../../components/searched-options.tsx';
import { ShownOnceDialog } from '../../components/shown-once-dialog.tsx';
import { ShownOnceGuard } from '../../components/shown-once-guard.tsx';

const SECRET_BYTES = 32;

const requestOf = (id: string): string => `assistant-secret:${id}`;

/** Makes a signing secret for an assistant and shows it once. */
export function AssistantSecretDialog({ onClose }: { onClose: () => void }) {
  const [agentId, setAgentId] = useState<string | null>(null);
  const assistants = useAssistantOptions({ chosen: agentId === null ? [] : [agentId] });
  const rotate = useMutation({
    mutationFn: async (id: string) => {
      // The same secret again changes nothing.
      const secret = ofUnanswered(requestOf(id), newSecret);
      await api.assistants.update(id, { webhook_secret: secret });
      return secret;
    },
    onSettled: (_, error, id) => noteAnswer(requestOf(id), error),
  });
  const chosen = assistants.labels.get(agentId ?? '');
  const guard = <ShownOnceGuard what="secret" isActive={rotate.isPending || rotate.data !== undefined} />;
  if (rotate.data)
    return (
      <>
        {guard}
        <ShownOnceDialog
          title={chosen ? `The new secret of ${chosen}` : 'The new secret'}
          value={rotate.data}
          what="secret"
          onClose={onClose}
        >
          Copy it now: it is not shown again. Give it to the receivers of this assistant within 24 hours;
          until then the former one signs too.
        </ShownOnceDialog>
      </>
    );
  return (
    <>
      {guard}
      <Modal opened onClose={onClose} isBusy={rotate.isPending} title="Set a secret of an assistant">
        <Stack>
          <Select
            label="Assistant"
            placeholder="Choose an assistant"
            {...assistants.props}
            error={assistants.error}
            value={agentId}
            onChange={(id) => {
              setAgentId(id);
              rotate.reset();
            }}
            disabled={rotate.isPending}
          />
          <Text size="sm">
            {chosen ? <>Events of {chosen} are</> : 'Its events are'} signed with a new secret. The former one
            signs along for 24 hours; after that its receivers refuse the events unless they know the new one.
          </Text>
          {rotate.error ? <ErrorNote error={rotate.error} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={rotate.isPending}>
              Close
            </Button>
            <Button
              disabled={agentId === null}
              loading={rotate.isPending}
              onClick={() => agentId && rotate.mutate(agentId)}
            >
              Set a new secret
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** As in Standard Webhooks. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
