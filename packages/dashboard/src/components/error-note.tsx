import { Alert, Button, Code, Group, Text } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { IconAlertTriangle } from '@tabler/icons-react';
import { describeError, isLoadFailure } from '../app/describe-error.ts';

type Props = { error: unknown; title?: string | undefined; onRetry?: (() => void) | undefined };

/** An error in words, with the id of the request and a way to try again. */
export function ErrorNote({ error, title, onRetry }: Props) {
  const { heading, message } = describeError(error);
  const mayBeOutdated = isLoadFailure(error);
  const requestId = error instanceof ParleyError ? error.requestId : undefined;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} />}
      title={title ?? heading}
      role="alert"
    >
      <Text size="sm">{message}</Text>
      {error instanceof ParleyError && error.details.length > 0 ? (
        <ul>
          {error.details.map((detail) => (
            <li key={`${detail.path} ${detail.message}`}>
              <Code>{detail.path}</Code> {detail.message}
            </li>
          ))}
        </ul>
      ) : null}
      {onRetry || mayBeOutdated || requestId ? (
        <Group mt="xs" gap="sm">
          {onRetry ? (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          ) : null}
          {mayBeOutdated ? (
            <Button size="xs" variant="default" onClick={() => window.location.reload()}>
              Reload the page
            </Button>
          ) : null}
          {requestId ? (
            <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
              Request <Code>{requestId}</Code>
            </Text>
          ) : null}
        </Group>
      ) : null}
    </Alert>
  );
}
