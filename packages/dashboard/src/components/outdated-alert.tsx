import { Alert, Button, Group, Text } from '@mantine/core';
import { describeError } from '../app/describe-error.ts';
import styles from './outdated-alert.module.css';

type Props = { error: unknown; refetch: () => unknown; isPart: boolean };

/** The words of an `OutdatedNote`, which are loaded when they are needed. */
export function OutdatedAlert({ error, refetch, isPart }: Props) {
  return (
    <div className={isPart ? undefined : styles.note}>
      <Alert color="yellow" role="status">
        <Group justify="space-between" gap="sm">
          <Text size="sm">
            This is what was read before. Reading it again has failed: {describeError(error).message}
          </Text>
          <Button size="xs" variant="default" onClick={() => void refetch()}>
            Try again
          </Button>
        </Group>
      </Alert>
    </div>
  );
}
