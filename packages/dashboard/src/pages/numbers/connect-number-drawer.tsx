import { NumberInput, PasswordInput, SegmentedControl, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { formatPhone } from '../../app/format-phone.ts';
import { notifyDone } from '../../app/notify.ts';
import { Drawer } from '../../components/dialog.tsx';
import { DialogForm } from '../../components/form-dialog.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useSend } from '../../drafts/use-send.ts';
import { AssistantSelect } from './assistant-select.tsx';
import { numberProblem, terminationProblem } from './checks.ts';
import {
  EMPTY,
  isComplete,
  type NumberForm,
  toSip,
  toTelco,
  type Way,
  withoutSecrets,
} from './connect-number-form.ts';

type DrawerProps = { way: Way; onClose(): void; onConnected(id: string): void };

/** Connects a number by a SIP trunk, or from an account at a carrier. Loaded when it is opened. */
export function ConnectNumberDrawer({ way, onClose, onConnected }: DrawerProps) {
  const draft = useDraft('numbers/new', EMPTY, withoutSecrets);
  const form = draft.value;
  const client = useQueryClient();
  const connect = useSend(draft, {
    subject: (sent) => `Number ${sent.number.trim()}`,
    send: (sent, request) =>
      way === 'sip'
        ? api.phoneNumbers.connectSip(toSip(sent), request)
        : api.phoneNumbers.importTelco(toTelco(sent), request),
    onSuccess: async (number, sent, isOpen) => {
      draft.settle(sent, EMPTY);
      await client.invalidateQueries({ queryKey: ['numbers'] });
      notifyDone(`${formatPhone(number.phone_number)} is connected`);
      if (!isOpen) return;
      onClose();
      onConnected(number.id);
    },
    onSentBefore: () => {
      // What was typed since stays.
      if (!draft.isDirty) onClose();
    },
  });
  const fields: FieldsProps = { form, change: draft.change, errors: errorsByField(connect.error) };
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
      <DialogForm
        onSubmit={connect.submit}
        onClose={onClose}
        mutation={connect}
        submitLabel={way === 'sip' ? 'Connect number' : 'Import number'}
        isSubmitDisabled={!isComplete(form, way)}
      >
        <DraftNote draft={draft} hasSecrets />
        <TextInput
          label="Phone number"
          description="With country code, as +14155550123."
          placeholder="+14155550123"
          inputMode="tel"
          {...textField(fields, 'number', 'phone_number', numberProblem)}
          data-autofocus
          required
        />
        {way === 'sip' ? <SipFields {...fields} /> : <AccountFields {...fields} />}
        <TextInput
          label="Nickname"
          description="For you. It cannot be changed later."
          placeholder="Front desk"
          {...textField(fields, 'nickname', 'nickname')}
          maxLength={100}
        />
        <CommonFields {...fields} />
      </DialogForm>
    </Drawer>
  );
}

type FieldsProps = {
  form: NumberForm;
  change(fields: Partial<NumberForm>): void;
  /** Messages of the API by field. */
  errors: Readonly<Record<string, string>>;
};

type TextName = 'number' | 'nickname' | 'termination' | 'username' | 'password' | 'accountSid' | 'authToken';

/** A text of the form, which the API calls `field`. */
function textField(
  { form, change, errors }: FieldsProps,
  name: TextName,
  field: string,
  problemOf: (typed: string) => string | undefined = () => undefined,
) {
  return {
    value: form[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => change({ [name]: event.currentTarget.value }),
    error: errors[field] ?? problemOf(form[name]),
  };
}

function SipFields(fields: FieldsProps) {
  const { form, change } = fields;
  return (
    <>
      <TextInput
        label="Address of the trunk"
        description="Where your carrier takes calls: host and, if needed, port."
        placeholder="sip.example.com:5060"
        {...textField(fields, 'termination', 'termination_uri', terminationProblem)}
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
          onChange={(transport) => change({ transport })}
        />
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="User name"
          description="If the trunk asks for one."
          {...textField(fields, 'username', 'sip_trunk_auth_username')}
          autoComplete="off"
        />
        <PasswordInput
          label="Password"
          description="Stored encrypted, never shown."
          {...textField(fields, 'password', 'sip_trunk_auth_password')}
          autoComplete="new-password"
        />
      </SimpleGrid>
    </>
  );
}

function AccountFields(fields: FieldsProps) {
  return (
    <>
      <TextInput
        label="Account SID"
        placeholder="AC…"
        {...textField(fields, 'accountSid', 'telco_account_sid')}
        autoComplete="off"
        required
      />
      <PasswordInput
        label="Auth token"
        description="Stored encrypted, never shown. The carrier is asked whether both fit and the number is yours."
        {...textField(fields, 'authToken', 'telco_auth_token')}
        autoComplete="new-password"
        required
      />
    </>
  );
}

function CommonFields({ form, change, errors }: FieldsProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <AssistantSelect
          label="Answers calls"
          none="Nobody: calls are not answered"
          value={form.inbound}
          onChange={(inbound) => change({ inbound })}
          error={errors.inbound_agent_id}
        />
        <AssistantSelect
          label="Places calls"
          none="Only those that a call names"
          value={form.outbound}
          onChange={(outbound) => change({ outbound })}
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
        onChange={(maxCps) => change({ maxCps })}
        error={errors.max_cps}
        maw={240}
      />
    </>
  );
}
