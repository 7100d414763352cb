import { Alert } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { describeError } from '../app/describe-error.ts';

export function SignInError({ error }: { error: unknown }) {
  return (
    <Alert color="red" variant="light" role="alert" py="xs">
      {textOf(error)}
    </Alert>
  );
}

function textOf(error: unknown): string {
  const isRefused =
    error instanceof ParleyError && (error.code === 'UNAUTHORIZED' || error.code === 'FORBIDDEN');
  return isRefused ? error.message : describeError(error).message;
}
