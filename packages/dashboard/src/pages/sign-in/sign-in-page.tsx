import { Alert, Anchor, Button, Divider, Stack } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import { adoptSession, type Session } from '../../app/session.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { SignInForm } from '../../sign-in/sign-in-form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const route = getRouteApi('/sign-in');
/** What the API accepts; a place with unusual filters is not returned to. */
const SSO_RETURN = /^\/dashboard\/[\w./#?=&-]*$/;

export function SignInPage() {
  const { return_to: place = '/' } = route.useSearch();
  const returnTo = `/dashboard${place}`;
  const router = useRouter();
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => api.session.methods({ signal }),
  });
  const onSignedIn = (session: Session) => {
    adoptSession(session);
    router.history.push(returnTo);
  };
  const { password = true, sso = false, mail = false } = methods.data ?? {};
  return (
    <SignInFrame
      title="Sign in"
      footer={
        mail && password ? (
          <Anchor component={Link} to="/password/forgot" size="sm">
            Forgot your password?
          </Anchor>
        ) : null
      }
    >
      <Stack gap="md">
        {methods.error ? <ErrorNote error={methods.error} onRetry={() => void methods.refetch()} /> : null}
        {sso ? (
          <Button
            component="a"
            href={`/dashboard/api/oidc/start?return_to=${encodeURIComponent(SSO_RETURN.test(returnTo) ? returnTo : '/dashboard/')}`}
            variant={password ? 'default' : 'filled'}
            leftSection={<IconLogin2 size={18} />}
            fullWidth
          >
            Continue with single sign-on
          </Button>
        ) : null}
        {sso && password ? <Divider label="or" /> : null}
        {password ? <SignInForm onSignedIn={onSignedIn} /> : null}
        {!password && !sso ? (
          <Alert color="yellow">The operator has turned off every way to sign in.</Alert>
        ) : null}
      </Stack>
    </SignInFrame>
  );
}
