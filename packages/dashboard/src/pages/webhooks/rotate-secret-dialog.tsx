import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, queryClient } from '../../app/client.ts';
import { noteAnswer, ofUnanswered } from '../../app/unanswered.ts';
import { workspaceQuery } from '../../app/workspace.ts';
import { Modal } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { ShownOnceDialog } from '../../components/shown-once-dialog.tsx';
import { ShownOnceGuard } from '../../components/shown-once-guard.tsx';
import { Time } from '../../components/time.tsx';

const REQUEST = 'rotate-webhook-secret';

/** Asks, rotates the secret of the workspace and shows the new one, once. */
export function RotateSecretDialog({ onClose }: { onClose: () => void }) {
  const { data: settings } = useQuery(workspaceQuery);
  const rotate = useMutation({
    mutationFn: () => api.workspace.rotateWebhookSecret({ idempotencyKey: ofUnanswered(REQUEST) }),
    onSettled: (_, error) => noteAnswer(REQUEST, error),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: workspaceQuery.queryKey }),
  });
  const guard = <ShownOnceGuard what="secret" isActive={rotate.isPending || rotate.data !== undefined} />;
  if (rotate.data)
    return (
      <>
        {guard}
        <ShownOnceDialog
          title="The new signing secret"
          value={rotate.data.webhook_secret}
          what="secret"
          onClose={onClose}
        >
          Copy it now: it is not shown again. Give it to your receivers before{' '}
          <Time at={rotate.data.old_secret_expires_at} />; until then the former one signs too.
        </ShownOnceDialog>
      </>
    );
  const earlier = settings?.old_webhook_secret_expires_at;
  return (
    <>
      {guard}
      <Modal opened onClose={onClose} isBusy={rotate.isPending} title="Rotate the signing secret?">
        <Stack>
          <Text size="sm">
            A new secret signs the events of all assistants and the requests of all tools that have none of
            their own. The present one signs along for 24 hours; after that, receivers that do not know the
            new one refuse what they are sent.
          </Text>
          {earlier ? (
            <Alert color="yellow">
              <b>The last rotation is not over.</b> The secret before the present one signs until{' '}
              <Time at={earlier} />. If you rotate again, it stops now: receivers that still use it refuse
              what they are sent.
            </Alert>
          ) : null}
          {rotate.error ? <ErrorNote error={rotate.error} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={rotate.isPending}>
              Cancel
            </Button>
            <Button color="red.9" loading={rotate.isPending} onClick={() => rotate.mutate()} data-autofocus>
              Rotate the secret
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
