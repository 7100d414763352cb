import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from './code/code-block.tsx';
import { Modal } from './dialog.tsx';

type Props = {
  title: string;
  /** What to do with it. */
  children: ReactNode;
  value: string;
  /** "key", "link". */
  what: string;
  closeLabel?: string;
  onClose: () => void;
};

/** What a person sees once, such as a secret. It is closed by its button alone, so that nothing else loses it. */
export function ShownOnceDialog({ title, children, value, what, closeLabel = 'Done', onClose }: Props) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Text size="sm">{children}</Text>
        {/* Not the button: a key that is still held, or pressed twice, would close it unseen. */}
        <CodeBlock code={value} label={what} hasFocus />
        <Group justify="flex-end">
          <Button onClick={onClose}>{closeLabel}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
