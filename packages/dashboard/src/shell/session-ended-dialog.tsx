import { Alert, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { adoptSession, type Session, sessionQuery } from '../app/session.ts';
import { SignInForm } from '../sign-in/sign-in-form.tsx';

/** Above the page whose session has ended: the person signs in again and goes on, with everything that was typed. */
export function SessionEndedDialog() {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const navigate = useNavigate();
  const onSignedIn = async (next: Session) => {
    const isSame =
      next.person.id === session?.person.id &&
      next.workspace?.workspace_id === session.workspace?.workspace_id;
    adoptSession(next);
    if (!isSame) await navigate({ to: '/' });
  };
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
        {session?.signed_in_by === 'sso' ? (
          <Alert color="gray">
            With single sign-on, sign in in{' '}
            <a href="/dashboard/api/oidc/start" target="_blank" rel="noopener">
              another tab
            </a>
            , then reload this page. Drafts are kept in this browser.
          </Alert>
        ) : null}
        <SignInForm
          email={session?.person.email}
          workspaceId={session?.workspace?.workspace_id}
          onSignedIn={(next) => void onSignedIn(next)}
        />
      </Stack>
    </Modal>
  );
}
