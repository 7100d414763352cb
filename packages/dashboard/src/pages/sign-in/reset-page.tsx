import { Alert, Anchor, Button, Stack } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Form } from '../../components/form.tsx';
import { NewPasswordField } from '../../sign-in/new-password-field.tsx';
import { useLinkToken } from '../../sign-in/use-link-token.ts';
import { SignInFrame } from './sign-in-frame.tsx';

export function ResetPage() {
  const token = useLinkToken();
  const [password, setPassword] = useState('');
  const reset = useMutation({ mutationFn: () => api.account.resetPassword({ token, password }) });
  const isGone = token === '' || (reset.error instanceof ParleyError && reset.error.status === 404);
  if (reset.isSuccess)
    return (
      <SignInFrame title="Your password is changed" description="All sessions of your account have ended.">
        <Button component={Link} to="/sign-in" fullWidth>
          Sign in
        </Button>
      </SignInFrame>
    );
  if (isGone)
    return (
      <SignInFrame title="This link does not work">
        <Stack>
          <Alert color="yellow" role="alert">
            It was used, or is older than one hour.
          </Alert>
          <Anchor component={Link} to="/password/forgot" size="sm">
            Request another one
          </Anchor>
        </Stack>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Choose a new password">
      <Form onSubmit={() => reset.mutate()}>
        <Stack gap="sm">
          <NewPasswordField value={password} onChange={setPassword} />
          {reset.error ? <ErrorNote error={reset.error} /> : null}
          <Button type="submit" fullWidth loading={reset.isPending}>
            Change the password
          </Button>
        </Stack>
      </Form>
    </SignInFrame>
  );
}
