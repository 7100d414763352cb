import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWorkspaceSettings } from '../../app/workspace.ts';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';

const AssistantSecretDialog = lazyDialog(
  () => import('./assistant-secret-dialog.tsx'),
  'AssistantSecretDialog',
);
const RotateSecretDialog = lazyDialog(() => import('./rotate-secret-dialog.tsx'), 'RotateSecretDialog');

/** The workspace's secret, and secrets of single assistants. */
export function SigningSecret() {
  const [opened, setOpened] = useState<'workspace' | 'assistant'>();
  const close = () => setOpened(undefined);
  const oldExpiresAt = useWorkspaceSettings()?.old_webhook_secret_expires_at;
  return (
    <Section
      title="Signing secret"
      description="Events are signed with the secret of the workspace, or with one of the assistant, if it has one. After a change both sign for 24 hours, so that receivers can be switched without a gap."
    >
      <Stack gap="sm">
        {oldExpiresAt ? (
          <Text size="sm">
            The secret of the workspace was rotated: the former one signs too, until{' '}
            <Time at={oldExpiresAt} />.
          </Text>
        ) : null}
        <Group gap="xs">
          <RoleGate minimum="admin">
            <Button variant="default" onClick={() => setOpened('workspace')}>
              Rotate the secret
            </Button>
          </RoleGate>
          <RoleGate minimum="developer">
            <Button variant="default" onClick={() => setOpened('assistant')}>
              Set a secret of an assistant
            </Button>
          </RoleGate>
        </Group>
      </Stack>
      {opened === 'workspace' ? <RotateSecretDialog onClose={close} /> : null}
      {opened === 'assistant' ? <AssistantSecretDialog onClose={close} /> : null}
    </Section>
  );
}
