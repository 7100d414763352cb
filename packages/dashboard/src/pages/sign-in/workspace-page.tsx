import { Alert, Button, Stack, UnstyledButton } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { IconChevronRight } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import { adoptSession, forgetSession, sessionQuery } from '../../app/session.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import styles from './workspace-page.module.css';

const route = getRouteApi('/workspace');

/** For a person of several workspaces who has selected none yet. */
export function WorkspacePage() {
  const { return_to: returnTo = '/' } = route.useSearch();
  const router = useRouter();
  const session = useQuery(sessionQuery);
  const select = useMutation({
    mutationFn: (id: string) => api.session.selectWorkspace({ workspace_id: id }),
    onSuccess: (next) => {
      adoptSession(next);
      router.history.push(`/dashboard${returnTo}`);
    },
  });
  const signOut = useMutation({
    mutationFn: () => api.session.signOut(),
    onSuccess: () => {
      forgetSession();
      router.history.push('/dashboard/sign-in');
    },
  });
  if (session.error instanceof ParleyError && session.error.status === 401) return <Navigate to="/sign-in" />;
  const workspaces = session.data?.workspaces ?? [];
  const isMember = !session.data || workspaces.length > 0;
  return (
    <SignInFrame
      title={isMember ? 'Which workspace?' : 'No workspace'}
      description={session.data?.person.email}
    >
      <Stack gap="xs">
        {session.error ? <ErrorNote error={session.error} onRetry={() => void session.refetch()} /> : null}
        {workspaces.map(({ workspace_id: id, workspace_name: name, role }) => (
          <UnstyledButton
            key={id}
            className={styles.workspace}
            onClick={() => select.mutate(id)}
            disabled={select.isPending}
          >
            <span className="truncate">{name}</span>
            <small>{role}</small>
            <IconChevronRight size={16} aria-hidden="true" />
          </UnstyledButton>
        ))}
        {isMember ? null : (
          <Alert color="yellow">
            You are not a member of a workspace. Ask one of its admins to invite you.
          </Alert>
        )}
        {select.error ? <ErrorNote error={select.error} /> : null}
        <Button variant="subtle" color="gray" onClick={() => signOut.mutate()} loading={signOut.isPending}>
          Sign out
        </Button>
      </Stack>
    </SignInFrame>
  );
}
