import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { useSession } from '../../app/session.ts';
import { CodeBlock } from '../../components/code/code-block.tsx';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';

const SECRET_BYTES = 32;

/** The workspace's secret, which only the operator rotates, and secrets of single assistants. */
export function SigningSecret() {
  const { workspace } = useSession();
  const [agentId, setAgentId] = useState<string | null>(null);
  const assistants = useQuery({
    queryKey: ['assistants', 'names'],
    queryFn: ({ signal }) => api.assistants.list({ size: 100 }, { signal }),
  });
  const rotate = useMutation({
    mutationFn: async (id: string) => {
      const secret = newSecret();
      await api.assistants.update(id, { webhook_secret: secret });
      return secret;
    },
  });
  const chosen = assistants.data?.items.find(({ id }) => id === agentId);
  return (
    <Section
      title="Signing secret"
      description="Events are signed with the secret of the workspace, or with one of the assistant, if it has one. After a change both sign for 24 hours, so that receivers can be switched without a gap."
    >
      <Stack gap="sm">
        <Text size="sm">The operator rotates the secret of the workspace:</Text>
        <CodeBlock
          label="command"
          code={`npm run parley -- webhook-secret rotate --workspace ${workspace.workspace_id}`}
        />
        <Text size="sm" mt="xs">
          Or give an assistant a secret of its own. It is shown once:
        </Text>
        {assistants.error ? (
          <ErrorNote error={assistants.error} onRetry={() => void assistants.refetch()} />
        ) : null}
        <Group gap="xs" align="flex-end">
          <Select
            label="Assistant"
            placeholder="Choose an assistant"
            data={
              assistants.data?.items.map(({ id, agent_name: name }) => ({ value: id, label: name })) ?? []
            }
            value={agentId}
            onChange={(id) => {
              setAgentId(id);
              rotate.reset();
            }}
            searchable
            w={280}
          />
          <ConfirmAction
            title="Set a new secret"
            confirmLabel="Set the secret"
            harmless
            onConfirm={() => rotate.mutateAsync(agentId ?? '')}
            trigger={(open) => (
              <RoleGate minimum="developer">
                <Button variant="default" onClick={open} disabled={agentId === null}>
                  Set a new secret
                </Button>
              </RoleGate>
            )}
          >
            Events of <b>{chosen?.agent_name}</b> are signed with a new secret. The former one signs along for
            24 hours; after that its receivers refuse the events unless they know the new one.
          </ConfirmAction>
        </Group>
        {rotate.data ? (
          <Alert color="teal" title="The new secret" role="status">
            <Stack gap="xs">
              <Text size="sm">Copy it now: it is not shown again.</Text>
              <CodeBlock code={rotate.data} label="secret" />
            </Stack>
          </Alert>
        ) : null}
      </Stack>
    </Section>
  );
}

/** As in Standard Webhooks. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
