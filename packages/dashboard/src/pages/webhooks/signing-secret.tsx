import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { useSession } from '../../app/session.ts';
import { CodeBlock } from '../../components/code/code-block.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';

const AssistantSecretDialog = lazy(() =>
  import('./assistant-secret-dialog.tsx').then(({ AssistantSecretDialog: dialog }) => ({ default: dialog })),
);

/** The workspace's secret, which only the operator rotates, and secrets of single assistants. */
export function SigningSecret() {
  const { workspace } = useSession();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <Section
      title="Signing secret"
      description="Events are signed with the secret of the workspace, or with one of the assistant, if it has one. After a change both sign for 24 hours, so that receivers can be switched without a gap."
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">The operator rotates the secret of the workspace:</Text>
        <CodeBlock
          label="command"
          code={`npm run parley -- webhook-secret rotate --workspace ${workspace.workspace_id}`}
        />
        <Text size="sm" mt="xs">
          An assistant can have a secret of its own:
        </Text>
        <RoleGate minimum="developer">
          <Button variant="default" onClick={open}>
            Set a secret of an assistant
          </Button>
        </RoleGate>
      </Stack>
      <Suspense>{isOpen ? <AssistantSecretDialog onClose={close} /> : null}</Suspense>
    </Section>
  );
}
