import { Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { Modal } from './dialog.tsx';

type Props = {
  /** "key", "link", "codes". */
  what: string;
  /** It is being made, or shown. */
  isActive: boolean;
};

/**
 * Asks before the page is left while something is shown that is never shown again, or is being made: the browser's Back would lose it
 * [dashboard.36]. It stays mounted from the request to the end of its dialog, so that a question in between is answered.
 */
export function ShownOnceGuard({ what, isActive }: Props) {
  const blocker = useBlocker({
    shouldBlockFn: () => isActive,
    enableBeforeUnload: () => isActive,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Modal opened onClose={blocker.reset} title={`Leave without the ${what}?`}>
      <Stack>
        <Text size="sm">You will not see the {what} again. Copy what you need before you leave.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="subtle" color="red" onClick={blocker.proceed}>
            Leave
          </Button>
          <Button onClick={blocker.reset} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
