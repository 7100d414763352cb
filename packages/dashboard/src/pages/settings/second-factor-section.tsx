import { Button, Group, PasswordInput, Skeleton, Text, TextInput } from '@mantine/core';
import { ParleyError } from '@parley/client/browser';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { api } from '../../app/client.ts';
import { notifyDone } from '../../app/notify.ts';
import { CodeBlock } from '../../components/code/code-block.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { Section } from '../../components/section.tsx';
import { ShownOnceDialog } from '../../components/shown-once-dialog.tsx';
import { ShownOnceGuard } from '../../components/shown-once-guard.tsx';
import { StatusDot } from '../../components/status-dot.tsx';

const QrCode = lazyComponent(() => import('./qr-code.tsx'), 'QrCode');

type Dialog = 'enable' | 'renew' | 'disable' | undefined;

/** The authenticator app of the account (TOTP). */
export function SecondFactorSection() {
  const [dialog, setDialog] = useState<Dialog>();
  const queryClient = useQueryClient();
  const factor = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => api.secondFactor.get({ signal }),
  });
  const close = () => {
    setDialog(undefined);
    void queryClient.invalidateQueries({ queryKey: ['second-factor'] });
  };
  const { data, error } = factor;
  return (
    <Section
      title="Second factor"
      description="A code of an authenticator app, besides the password. A stolen password alone is then worth nothing."
    >
      {error ? <ErrorNote error={error} onRetry={() => void factor.refetch()} /> : null}
      {!data && !error ? <Skeleton height={40} /> : null}
      {data ? (
        <Group gap="sm">
          <Text size="sm" component="span">
            {data.is_enabled ? (
              <StatusDot tone="good">On, {data.recovery_codes_left} recovery codes left</StatusDot>
            ) : (
              <StatusDot tone="off">Off</StatusDot>
            )}
          </Text>
          {data.is_enabled ? (
            <>
              <Button variant="default" onClick={() => setDialog('renew')}>
                New recovery codes
              </Button>
              <Button variant="subtle" color="red" onClick={() => setDialog('disable')}>
                Turn off
              </Button>
            </>
          ) : (
            <Button onClick={() => setDialog('enable')}>Turn on</Button>
          )}
        </Group>
      ) : null}
      {dialog === 'enable' ? <EnableDialog onClose={close} /> : null}
      {dialog === 'renew' ? (
        <ConfirmDialog
          title="New recovery codes"
          label="Make new codes"
          makesCodes
          onClose={close}
          onConfirm={async (both) => (await api.secondFactor.renewRecoveryCodes(both)).recovery_codes}
        />
      ) : null}
      {dialog === 'disable' ? (
        <ConfirmDialog
          title="Turn off the second factor"
          label="Turn off"
          onClose={close}
          onConfirm={async (both) => {
            await api.secondFactor.disable(both);
            notifyDone('The second factor is off');
            return undefined;
          }}
        />
      ) : null}
    </Section>
  );
}

function EnableDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const begin = useMutation({ mutationFn: () => api.secondFactor.begin({ password }) });
  const enable = useMutation({ mutationFn: () => api.secondFactor.enable({ code }) });
  const guard = <ShownOnceGuard what="codes" isActive={enable.isPending || enable.data !== undefined} />;
  if (enable.data)
    return (
      <>
        {guard}
        <RecoveryCodes codes={enable.data.recovery_codes} onClose={onClose} />
      </>
    );
  const common = { title: 'Turn on the second factor', closeLabel: 'Cancel', onClose };
  if (begin.data)
    return (
      <>
        {guard}
        <FormDialog {...common} submitLabel="Turn on" mutation={enable} onSubmit={() => enable.mutate()}>
          <Text size="sm">
            Scan this with your authenticator app, or add the secret below by hand or by{' '}
            <a href={begin.data.otpauth_uri}>opening it on this device</a>. Then enter the code that the app
            shows.
          </Text>
          <Suspense fallback={<Skeleton width={220} height={220} radius={0} />}>
            <QrCode text={begin.data.otpauth_uri} label="QR code of the secret" />
          </Suspense>
          <CodeBlock code={begin.data.secret} label="secret" />
          <CodeField value={code} onChange={setCode} />
          {enable.error instanceof ParleyError && enable.error.status === 409 ? (
            <Text size="sm">
              It is on already: an earlier attempt was accepted. Close this, and make new recovery codes.
            </Text>
          ) : null}
        </FormDialog>
      </>
    );
  return (
    <FormDialog {...common} submitLabel="Continue" mutation={begin} onSubmit={() => begin.mutate()}>
      <PasswordField value={password} onChange={setPassword} />
    </FormDialog>
  );
}

type Both = { password: string; code: string };
type ConfirmProps = {
  title: string;
  label: string;
  onClose: () => void;
  makesCodes?: boolean;
  /** New recovery codes, if it makes them. */
  onConfirm: (both: Both) => Promise<string[] | undefined>;
};

/** Asks for the password and a code. */
function ConfirmDialog({ title, label, makesCodes = false, onClose, onConfirm }: ConfirmProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => onConfirm({ password, code }),
    onSuccess: (codes) => {
      if (!codes) onClose();
    },
  });
  const guard = (
    <ShownOnceGuard what="codes" isActive={(makesCodes && confirm.isPending) || confirm.data !== undefined} />
  );
  if (confirm.data)
    return (
      <>
        {guard}
        <RecoveryCodes codes={confirm.data} onClose={onClose} />
      </>
    );
  return (
    <>
      {guard}
      <FormDialog
        title={title}
        submitLabel={label}
        closeLabel="Cancel"
        onClose={onClose}
        mutation={confirm}
        onSubmit={() => confirm.mutate()}
      >
        <PasswordField value={password} onChange={setPassword} />
        <CodeField value={code} onChange={setCode} />
      </FormDialog>
    </>
  );
}

type FieldProps = { value: string; onChange: (value: string) => void };

function PasswordField({ value, onChange }: FieldProps) {
  return (
    <PasswordInput
      label="Your password"
      autoComplete="current-password"
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  );
}

function CodeField({ value, onChange }: FieldProps) {
  return (
    <TextInput
      label="Code"
      autoComplete="one-time-code"
      minLength={6}
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type CodesProps = { codes: readonly string[]; onClose: () => void };

function RecoveryCodes({ codes, onClose }: CodesProps) {
  return (
    <ShownOnceDialog
      title="Recovery codes"
      value={codes.join('\n')}
      what="codes"
      closeLabel="I have stored them"
      onClose={onClose}
    >
      Keep them where you find them without your phone. Each one signs you in once in place of a code. They
      are not shown again.
    </ShownOnceDialog>
  );
}
