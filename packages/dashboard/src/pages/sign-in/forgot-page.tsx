import { Alert, Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Form } from '../../components/form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export function ForgotPage() {
  const [email, setEmail] = useState('');
  const send = useMutation({ mutationFn: () => api.account.forgotPassword({ email }) });
  return (
    <SignInFrame
      title="Forgot your password?"
      description="We mail you a link to choose a new one."
      footer={
        <Anchor component={Link} to="/sign-in" size="sm">
          Back to sign in
        </Anchor>
      }
    >
      {send.isSuccess ? (
        <Alert color="teal" role="status">
          If {email} has an account, a link is on its way. It is valid for one hour.
        </Alert>
      ) : (
        <Form onSubmit={() => send.mutate()}>
          <Stack gap="sm">
            <TextInput
              label="E-mail address"
              type="email"
              autoComplete="username"
              required
              withAsterisk={false}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              autoFocus
            />
            {send.error ? <ErrorNote error={send.error} /> : null}
            <Button type="submit" fullWidth loading={send.isPending}>
              Send the link
            </Button>
          </Stack>
        </Form>
      )}
    </SignInFrame>
  );
}
