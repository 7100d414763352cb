import { Text } from '@mantine/core';

type Props = {
  /** What `useSend` returns. */
  of: { isSentBefore: boolean };
};

/** In a form that was closed and opened again while it was being sent. */
export function SentBeforeNote({ of: { isSentBefore } }: Props) {
  if (!isSentBefore) return null;
  return (
    <Text size="sm" role="status">
      This is being sent. What you type meanwhile is kept.
    </Text>
  );
}
