import { Alert, Anchor, Center, Loader, Stack } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api } from '../../app/client.ts';
import { adoptSession, type Session } from '../../app/session.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { CodeForm } from '../../sign-in/code-form.tsx';
import { useLinkToken } from '../../sign-in/use-link-token.ts';
import { SignInFrame } from './sign-in-frame.tsx';

/** Signs in with a one-time link. */
export function LinkPage() {
  const token = useLinkToken();
  const navigate = useNavigate();
  const onSignedIn = (session: Session) => {
    adoptSession(session);
    void navigate({ to: '/', replace: true });
  };
  const signIn = useMutation({ mutationFn: () => api.session.useLink({ token }), onSuccess: onSignedIn });
  const wasSent = useRef(false);
  useEffect(() => {
    // The link is valid once, and effects may run twice.
    if (wasSent.current || token === '') return;
    wasSent.current = true;
    signIn.mutate();
  }, [token, signIn]);
  const { error } = signIn;
  if (error instanceof ParleyError && error.code === 'SECOND_FACTOR_REQUIRED')
    return (
      <SignInFrame title="One more step">
        <CodeForm onSignedIn={onSignedIn} onBack={() => void navigate({ to: '/sign-in' })} />
      </SignInFrame>
    );
  if (token !== '' && !error)
    return (
      <SignInFrame title="Signing in">
        <Center py="md">
          <Loader aria-label="Signing in" />
        </Center>
      </SignInFrame>
    );
  const isUsed = token === '' || (error instanceof ParleyError && error.status === 404);
  return (
    <SignInFrame title="This link does not work">
      <Stack>
        {isUsed ? (
          <Alert color="yellow" role="alert">
            A link signs in once, within an hour. This one was used or has expired. Ask for a new one: the
            operator makes it with <code>npm run parley -- member link</code>, and <code>npm start</code>{' '}
            prints one at each start.
          </Alert>
        ) : (
          <ErrorNote error={error} />
        )}
        <Anchor component={Link} to="/sign-in" size="sm">
          Sign in with a password
        </Anchor>
      </Stack>
    </SignInFrame>
  );
}
