import { Alert, Anchor, Button, PasswordInput, Skeleton, Stack, Text } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../app/client.ts';
import { adoptSession } from '../../app/session.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Form } from '../../components/form.tsx';
import { NewPasswordField } from '../../sign-in/new-password-field.tsx';
import { useLinkToken } from '../../sign-in/use-link-token.ts';
import { SignInFrame } from './sign-in-frame.tsx';

/** Accepts an invitation: with a new password, or with that of the account that exists. */
export function InvitationPage() {
  const token = useLinkToken();
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => api.invitations.read({ token }, { signal }),
    enabled: token !== '',
  });
  const isGone = token === '' || (invitation.error instanceof ParleyError && invitation.error.status === 404);
  if (isGone)
    return (
      <SignInFrame title="This invitation does not work">
        <Alert color="yellow" role="alert">
          It was used, replaced or has expired. Ask the person who invited you for a new one.
        </Alert>
      </SignInFrame>
    );
  if (invitation.error)
    return (
      <SignInFrame title="Invitation">
        <ErrorNote error={invitation.error} onRetry={() => void invitation.refetch()} />
      </SignInFrame>
    );
  if (!invitation.data)
    return (
      <SignInFrame title="Invitation">
        <Skeleton height={120} />
      </SignInFrame>
    );
  const { email, workspace_name: workspace, role, has_account: hasAccount } = invitation.data;
  return (
    <SignInFrame
      title={`Join ${workspace}`}
      description={
        <>
          You are invited as <b>{role}</b>, with the address <b>{email}</b>.
        </>
      }
      footer={
        <Anchor component={Link} to="/sign-in" size="sm">
          Not you? Sign in with another account
        </Anchor>
      }
    >
      <AcceptForm token={token} hasAccount={hasAccount} />
    </SignInFrame>
  );
}

function AcceptForm({ token, hasAccount }: { token: string; hasAccount: boolean }) {
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const accept = useMutation({
    mutationFn: () => api.invitations.accept({ token, ...(password ? { password } : {}) }),
    onSuccess: (session) => {
      adoptSession(session);
      void navigate({ to: '/' });
    },
  });
  return (
    <Form onSubmit={() => accept.mutate()}>
      <Stack gap="sm">
        {hasAccount ? (
          <PasswordInput
            label="Password of your account"
            description="May be left empty if you are signed in with this account in this browser."
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        ) : (
          <>
            <Text size="sm">Choose a password for your new account.</Text>
            <NewPasswordField label="Password" value={password} onChange={setPassword} />
          </>
        )}
        {accept.error ? <ErrorNote error={accept.error} /> : null}
        <Button type="submit" fullWidth mt={4} loading={accept.isPending}>
          Join
        </Button>
      </Stack>
    </Form>
  );
}
