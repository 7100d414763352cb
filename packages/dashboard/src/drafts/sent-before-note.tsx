import { Text } from '@mantine/core';

type Props = {
  /** What `useSend` returns. */
  of: { isSentBefore: boolean; isLost: boolean };
};

/** In a form that was closed and opened again while it was being sent, or that got no response. */
export function SentBeforeNote({ of: { isSentBefore, isLost } }: Props) {
  if (!isSentBefore && !isLost) return null;
  return (
    <Text size="sm" role="status">
      {isSentBefore
        ? 'This is being sent. What you type meanwhile is kept.'
        : 'It may have been accepted all the same. Sent again as it is, it is done once. If you change something, it is sent as another one: see first whether it was done.'}
    </Text>
  );
}
