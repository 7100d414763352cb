import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { type FormEvent, useState } from 'react';
import { api } from '../app/client.ts';
import type { Session } from '../app/session.ts';
import { CodeForm } from './code-form.tsx';
import { SignInError } from './sign-in-error.tsx';

type Props = {
  email?: string | undefined;
  /** The workspace to begin in. */
  workspaceId?: string | undefined;
  onSignedIn: (session: Session) => void;
};

/** E-mail address and password, and then the code of the second factor if the account has one. */
export function SignInForm({ email: known = '', workspaceId, onSignedIn }: Props) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const [error, setError] = useState<unknown>();
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setRunning(true);
    setError(undefined);
    try {
      onSignedIn(
        await api.session.signIn({ email, password, ...(workspaceId ? { workspace_id: workspaceId } : {}) }),
      );
    } catch (err) {
      if (err instanceof ParleyError && err.code === 'SECOND_FACTOR_REQUIRED') setNeedsCode(true);
      else setError(err);
    } finally {
      setRunning(false);
    }
  };
  if (needsCode) return <CodeForm onSignedIn={onSignedIn} onBack={() => setNeedsCode(false)} />;
  return (
    <form onSubmit={(event) => void signIn(event)}>
      <Stack gap="sm">
        <TextInput
          label="E-mail address"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          data-autofocus={known === '' || undefined}
          autoFocus={known === ''}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          data-autofocus={known !== '' || undefined}
          autoFocus={known !== ''}
        />
        {error === undefined ? null : <SignInError error={error} />}
        <Button type="submit" fullWidth mt={4} loading={isRunning}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
