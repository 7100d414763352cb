import { Alert, Anchor, Button, Stack, Text } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, queryClient, SESSION_KEY } from '../../app/client.ts';
import { sessionQuery } from '../../app/session.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { SignInForm } from '../../sign-in/sign-in-form.tsx';
import { useLinkToken } from '../../sign-in/use-link-token.ts';
import { SignInFrame } from './sign-in-frame.tsx';

/** Proves the address of the account with a mailed link. Needs a session of the account. */
export function AddressPage() {
  const token = useLinkToken();
  const session = useQuery(sessionQuery);
  const confirm = useMutation({
    mutationFn: () => api.account.confirmAddress({ token }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: SESSION_KEY }),
  });
  const isSignedOut = session.error instanceof ParleyError && session.error.status === 401;
  if (confirm.isSuccess)
    return (
      <SignInFrame title="Your address is verified">
        <Button component={Link} to="/" fullWidth>
          Go on
        </Button>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Verify your address">
      <Stack>
        {token === '' ? (
          <Alert color="yellow" role="alert">
            This link is incomplete. Open the one from the mail again, or request another one in your account.
          </Alert>
        ) : null}
        {isSignedOut ? (
          <>
            <Text size="sm">Sign in with the account that requested the link.</Text>
            <SignInForm onSignedIn={(signedIn) => queryClient.setQueryData(SESSION_KEY, signedIn)} />
          </>
        ) : (
          <Button
            onClick={() => confirm.mutate()}
            loading={confirm.isPending || session.isPending}
            disabled={token === ''}
          >
            Verify {session.data?.person.email}
          </Button>
        )}
        {confirm.error ? <ErrorNote error={confirm.error} /> : null}
        <Anchor component={Link} to="/" size="sm">
          Go to the start page
        </Anchor>
      </Stack>
    </SignInFrame>
  );
}
