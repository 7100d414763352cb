import { Button, Group, PasswordInput, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, queryClient } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { useSession } from '../../app/session.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Form } from '../../components/form.tsx';
import { OutdatedNote } from '../../components/outdated-note.tsx';
import { Section } from '../../components/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { Time } from '../../components/time.tsx';
import { NewPasswordField } from '../../sign-in/new-password-field.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import styles from './settings.module.css';

export function AccountPanel() {
  const { person, signed_in_by: signedInBy } = useSession();
  return (
    <>
      <Section title="Account">
        <Address email={person.email} isProved={person.is_address_proved} />
      </Section>
      {signedInBy === 'sso' ? null : (
        <>
          <Section title="Password" description="Changing it ends all your other sessions.">
            <PasswordForm />
          </Section>
          <SecondFactorSection />
        </>
      )}
      <Section title="Sessions" description="Where you are signed in.">
        <Sessions />
      </Section>
    </>
  );
}

function Address({ email, isProved }: { email: string; isProved: boolean }) {
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => api.session.methods({ signal }),
  });
  const send = useMutation({
    mutationFn: () => api.account.mailAddressProof(),
    onSuccess: () => notifyDone('A link is on its way. It is valid for one day'),
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">
        <b>{email}</b>{' '}
        <StatusDot tone={isProved ? 'good' : 'warn'}>{isProved ? 'verified' : 'not verified'}</StatusDot>
      </Text>
      {!isProved && methods.data?.mail ? (
        <Button variant="default" onClick={() => send.mutate()} loading={send.isPending}>
          Mail me a link that verifies it
        </Button>
      ) : null}
      {send.error ? <ErrorNote error={send.error} /> : null}
    </Stack>
  );
}

function PasswordForm() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => api.account.changePassword({ current_password: current, new_password: next }),
    onSuccess: async () => {
      setCurrent('');
      setNext('');
      await queryClient.invalidateQueries({ queryKey: ['sessions'] });
      notifyDone('Your password is changed');
    },
  });
  return (
    <Form className={styles.form} onSubmit={() => change.mutate()}>
      <Stack gap="sm">
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <NewPasswordField value={next} onChange={setNext} error={errorsByField(change.error).new_password} />
        {change.error ? <ErrorNote error={change.error} /> : null}
        <Group>
          <Button type="submit" loading={change.isPending}>
            Change the password
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

const SESSIONS_EVERY_MS = 15_000;

function Sessions() {
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => api.session.list({ signal }),
    // Events report changes of the workspace; signing in and out elsewhere is none.
    refetchInterval: SESSIONS_EVERY_MS,
  });
  const { data, error, refetch } = sessions;
  if (!data)
    return error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={80} />;
  const end = async (id: string) => {
    await api.session.revoke(id);
    await refetch();
    notifyDone('The session has ended');
  };
  return (
    <>
      <OutdatedNote query={sessions} />
      <ul className={styles.sessions}>
        {data.map((session) => (
          <li key={session.id}>
            <div>
              <Text size="sm" fw={500}>
                {browserOf(session.user_agent)} · {session.address}
              </Text>
              <Text size="sm" c="dimmed">
                Used <Time at={session.last_seen_at} as="relative" />, signed in{' '}
                <Time at={session.created_at} />
              </Text>
            </div>
            {session.is_current ? (
              <StatusDot tone="good">This one</StatusDot>
            ) : (
              <ConfirmAction
                title="End this session?"
                confirmLabel="End it"
                onConfirm={() => end(session.id)}
                trigger={(open) => (
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={open}
                    aria-label={`End ${browserOf(session.user_agent)} at ${session.address}`}
                  >
                    End
                  </Button>
                )}
              >
                {browserOf(session.user_agent)} at {session.address} is signed out within a second.
              </ConfirmAction>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Chrome\//, 'Chrome'],
  [/Firefox\//, 'Firefox'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** `Firefox on Windows`, from the user agent. */
function browserOf(userAgent: string): string {
  const nameIn = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = nameIn(BROWSERS);
  const system = nameIn(SYSTEMS);
  if (!browser) return userAgent.slice(0, 40) || 'Unknown program';
  return system ? `${browser} on ${system}` : browser;
}
