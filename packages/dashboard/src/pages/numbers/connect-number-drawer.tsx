import {
  Button,
  Group,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { formatPhone } from '../../app/format-phone.ts';
import { notifyDone } from '../../app/notify.ts';
import { Drawer } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { AssistantSelect } from './assistant-select.tsx';
import { numberProblem, plainNumber, terminationProblem } from './checks.ts';

export type Way = 'sip' | 'telco';

const EMPTY = {
  number: '',
  nickname: '',
  termination: '',
  transport: 'udp' as 'udp' | 'tcp' | 'tls',
  username: '',
  password: '',
  accountSid: '',
  authToken: '',
  inbound: null as string | null,
  outbound: null as string | null,
  maxCps: 1 as number | string,
};
type Form = typeof EMPTY;

const withoutSecrets = (form: Form): Form => ({ ...form, password: '', authToken: '' });

type FieldsProps = {
  form: Form;
  set<K extends keyof Form>(key: K, value: Form[K]): void;
  errors: Readonly<Record<string, string>>;
};

type DrawerProps = { way: Way; onClose(): void; onConnected(id: string): void };

/** Connects a number by a SIP trunk, or from an account at a carrier. Loaded when it is opened. */
export function ConnectNumberDrawer({ way, onClose, onConnected }: DrawerProps) {
  const draft = useDraft('numbers/new', EMPTY, withoutSecrets);
  const form = draft.value;
  const client = useQueryClient();
  const connect = useMutation({
    mutationFn: () =>
      way === 'sip' ? api.phoneNumbers.connectSip(toSip(form)) : api.phoneNumbers.importTelco(toTelco(form)),
    onSuccess: async (number) => {
      await client.invalidateQueries({ queryKey: ['numbers'] });
      notifyDone(`${formatPhone(number.phone_number)} is connected`);
      draft.discard();
      onClose();
      onConnected(number.id);
    },
  });
  const errors = errorsByField(connect.error);
  const set: FieldsProps['set'] = (key, value) => draft.set((now) => ({ ...now, [key]: value }));
  const needed =
    way === 'sip' ? [form.number, form.termination] : [form.number, form.accountSid, form.authToken];
  const isReady =
    needed.every((value) => value.trim() !== '') &&
    numberProblem(form.number) === undefined &&
    (way === 'telco' || terminationProblem(form.termination) === undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) connect.mutate();
  };
  return (
    <Drawer
      opened
      onClose={onClose}
      isBusy={connect.isPending}
      position="right"
      size="lg"
      closeOnClickOutside={false}
      title={way === 'telco' ? 'Import from a carrier account' : 'Connect by SIP trunk'}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <DraftNote draft={draft} hasSecrets />
          <TextInput
            label="Phone number"
            description="With country code, as +14155550123."
            placeholder="+14155550123"
            inputMode="tel"
            value={form.number}
            onChange={(event) => set('number', event.currentTarget.value)}
            error={errors.phone_number ?? numberProblem(form.number)}
            data-autofocus
            required
          />
          {way === 'sip' ? (
            <SipFields form={form} set={set} errors={errors} />
          ) : (
            <AccountFields form={form} set={set} errors={errors} />
          )}
          <TextInput
            label="Nickname"
            description="For you. It cannot be changed later."
            placeholder="Front desk"
            value={form.nickname}
            onChange={(event) => set('nickname', event.currentTarget.value)}
            error={errors.nickname}
            maxLength={100}
          />
          <CommonFields form={form} set={set} errors={errors} />
          {connect.isError && <ErrorNote error={connect.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} disabled={connect.isPending}>
              Close
            </Button>
            <Button type="submit" loading={connect.isPending} disabled={!isReady}>
              {way === 'sip' ? 'Connect number' : 'Import number'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}

function SipFields({ form, set, errors }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Address of the trunk"
        description="Where your carrier takes calls: host and, if needed, port."
        placeholder="sip.example.com:5060"
        value={form.termination}
        onChange={(event) => set('termination', event.currentTarget.value)}
        error={errors.termination_uri ?? terminationProblem(form.termination)}
        required
      />
      <div>
        <Text size="sm" fw={500} mb={4}>
          Transport
        </Text>
        <SegmentedControl
          aria-label="Transport"
          data={[
            { value: 'udp', label: 'UDP' },
            { value: 'tcp', label: 'TCP' },
            { value: 'tls', label: 'TLS' },
          ]}
          value={form.transport}
          onChange={(value) => set('transport', value === 'tcp' || value === 'tls' ? value : 'udp')}
        />
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="User name"
          description="If the trunk asks for one."
          value={form.username}
          onChange={(event) => set('username', event.currentTarget.value)}
          error={errors.sip_trunk_auth_username}
          autoComplete="off"
        />
        <PasswordInput
          label="Password"
          description="Stored encrypted, never shown."
          value={form.password}
          onChange={(event) => set('password', event.currentTarget.value)}
          error={errors.sip_trunk_auth_password}
          autoComplete="new-password"
        />
      </SimpleGrid>
    </>
  );
}

function AccountFields({ form, set, errors }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Account SID"
        placeholder="AC…"
        value={form.accountSid}
        onChange={(event) => set('accountSid', event.currentTarget.value)}
        error={errors.telco_account_sid}
        autoComplete="off"
        required
      />
      <PasswordInput
        label="Auth token"
        description="Stored encrypted, never shown. The carrier is asked whether both fit and the number is yours."
        value={form.authToken}
        onChange={(event) => set('authToken', event.currentTarget.value)}
        error={errors.telco_auth_token}
        autoComplete="new-password"
        required
      />
    </>
  );
}

function CommonFields({ form, set, errors }: FieldsProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <AssistantSelect
          label="Answers calls"
          none="Nobody: calls are not answered"
          value={form.inbound}
          onChange={(id) => set('inbound', id)}
          error={errors.inbound_agent_id}
        />
        <AssistantSelect
          label="Places calls"
          none="Only those that a call names"
          value={form.outbound}
          onChange={(id) => set('outbound', id)}
          error={errors.outbound_agent_id}
        />
      </SimpleGrid>
      <NumberInput
        label="Pace"
        description="Outbound calls per second at most. 0.1 is one every ten seconds."
        min={0.1}
        max={1000}
        step={0.5}
        decimalScale={2}
        clampBehavior="none"
        value={form.maxCps}
        onChange={(value) => set('maxCps', value)}
        error={errors.max_cps}
        maw={240}
      />
    </>
  );
}

function common(form: Form) {
  return {
    phone_number: plainNumber(form.number),
    nickname: form.nickname.trim() === '' ? null : form.nickname.trim(),
    inbound_agent_id: form.inbound,
    outbound_agent_id: form.outbound,
    max_cps: Number(form.maxCps),
  };
}

function toSip(form: Form) {
  return {
    ...common(form),
    termination_uri: form.termination.trim(),
    transport: form.transport,
    sip_trunk_auth_username: form.username || null,
    sip_trunk_auth_password: form.password || null,
  };
}

function toTelco(form: Form) {
  return {
    ...common(form),
    telco_account_sid: form.accountSid.trim(),
    telco_auth_token: form.authToken.trim(),
  };
}
