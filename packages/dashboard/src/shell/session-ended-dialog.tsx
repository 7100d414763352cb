import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { api } from '../app/client.ts';
import { adoptSession, type Session, sessionQuery } from '../app/session.ts';
import { Modal } from '../components/dialog.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { SignInForm } from '../sign-in/sign-in-form.tsx';

/** Above the page whose session has ended: the person signs in again and goes on, with everything that was typed. */
export function SessionEndedDialog() {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const navigate = useNavigate();
  const [isByPassword, setByPassword] = useState(false);
  const onSignedIn = useCallback(
    async (next: Session) => {
      const isSame =
        next.person.id === session?.person.id &&
        next.workspace?.workspace_id === session.workspace?.workspace_id;
      if (!next.workspace) await navigate({ to: '/workspace', ignoreBlocker: true });
      adoptSession(next);
      if (!isSame && next.workspace) await navigate({ to: '/', ignoreBlocker: true });
    },
    [session, navigate],
  );
  const by = session?.signed_in_by;
  // Who signed in without a password may have none.
  const elsewhere = !isByPassword && (by === 'sso' || by === 'link') ? by : undefined;
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title="Your session has ended"
    >
      <Stack>
        <Text size="sm">Sign in again to go on. What you typed on this page is still here.</Text>
        {elsewhere ? (
          <Elsewhere
            by={elsewhere}
            onSignedIn={(next) => void onSignedIn(next)}
            onPassword={() => setByPassword(true)}
          />
        ) : (
          <SignInForm
            email={session?.person.email}
            workspaceId={session?.workspace?.workspace_id}
            onSignedIn={(next) => void onSignedIn(next)}
          />
        )}
      </Stack>
    </Modal>
  );
}

type Props = { by: 'sso' | 'link'; onSignedIn: (session: Session) => void; onPassword: () => void };

/** In another tab, whose session is this one's too. */
function Elsewhere({ by, onSignedIn, onPassword }: Props) {
  const [failure, setFailure] = useState<unknown>();
  const { data: methods } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => api.session.methods({ signal }),
  });
  const { password = true, mail = false } = methods ?? {};
  const isMissing = failure instanceof ParleyError && failure.status === 401;
  const look = useCallback(async () => onSignedIn(await api.session.get()), [onSignedIn]);
  useEffect(() => {
    // An error of a check that the person did not request is not shown.
    const onFocus = () => void look().catch(() => {});
    window.addEventListener('focus', onFocus);
    return () => window.removeEventListener('focus', onFocus);
  }, [look]);
  return (
    <>
      {by === 'sso' ? (
        <Button component="a" href="/dashboard/api/oidc/start" target="_blank" rel="noopener">
          Single sign-on in another tab
        </Button>
      ) : (
        <Text size="sm">
          You signed in by a one-time link. Get another one from the person who runs this installation (
          <code>npm start</code> and <code>parley member link</code> print one), and open it in another tab.
        </Text>
      )}
      <Text size="sm">Then come back to this tab: it goes on by itself.</Text>
      <Group gap="xs">
        <Button variant="default" onClick={() => void look().catch(setFailure)}>
          I have signed in
        </Button>
        {password ? (
          <Button variant="subtle" onClick={onPassword}>
            Use a password
          </Button>
        ) : null}
      </Group>
      {password && mail ? (
        <Text size="sm">
          Without a password you can{' '}
          <Anchor href="/dashboard/password/forgot" target="_blank" rel="noopener">
            set one by mail
          </Anchor>
          .
        </Text>
      ) : null}
      {isMissing ? (
        <Text size="sm" c="var(--warn)" role="status">
          This browser is not signed in yet.
        </Text>
      ) : null}
      {failure !== undefined && !isMissing ? <ErrorNote error={failure} /> : null}
    </>
  );
}
