import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { api } from '../app/client.ts';
import type { Session } from '../app/session.ts';
import { SignInError } from './sign-in-error.tsx';

type Props = { onSignedIn: (session: Session) => void; onBack: () => void };

/** The second step, for accounts with an authenticator app. */
export function CodeForm({ onSignedIn, onBack }: Props) {
  const [code, setCode] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setRunning(true);
    setError(undefined);
    try {
      onSignedIn(await api.session.sendCode({ code }));
    } catch (err) {
      setError(err);
    } finally {
      setRunning(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Enter the six digits that your authenticator app shows, or a recovery code.
        </Text>
        <TextInput
          label="Code"
          name="code"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          minLength={6}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoFocus
          data-autofocus
        />
        {error === undefined ? null : <SignInError error={error} />}
        <Button type="submit" fullWidth mt={4} loading={isRunning}>
          Continue
        </Button>
        <Button variant="subtle" color="gray" fullWidth onClick={onBack}>
          Back to the password
        </Button>
      </Stack>
    </form>
  );
}
