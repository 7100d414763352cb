import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';

type Props = {
  isDirty: boolean;
  onDiscard: () => void;
  /** "this assistant" */
  what: string;
};

/** Asks before a page with unsaved changes is left: stay, keep them as a draft in this browser, or discard them. */
export function LeaveGuard({ isDirty, onDiscard, what }: Props) {
  const blocker = useBlocker({
    // Another search or hash is still the same page.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const isAsking = blocker.status === 'blocked';
  return (
    <Modal opened={isAsking} onClose={() => blocker.reset?.()} title="You have unsaved changes">
      <Stack>
        <Text size="sm">
          The changes of {what} are not saved yet. A draft stays in this browser until you save or discard it.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button
            variant="subtle"
            color="red"
            onClick={() => {
              onDiscard();
              blocker.proceed?.();
            }}
          >
            Discard changes
          </Button>
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave and keep the draft
          </Button>
          <Button onClick={() => blocker.reset?.()} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
