import { Alert, Button, Group, NumberInput, Skeleton, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { formatPhone } from '../../app/format-phone.ts';
import { notifyDone } from '../../app/notify.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { FieldSet } from '../../components/field-set.tsx';
import { Page } from '../../components/page.tsx';
import { RoleGate, useRole } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { AssistantSelect } from './assistant-select.tsx';
import { NumberState } from './number-state.tsx';
import { circuitsQuery, numberQuery, type PhoneNumber } from './queries.ts';

const route = getRouteApi('/shell/numbers/$id');

/** One number: who uses it, how fast it dials, and its state. */
export function NumberPage() {
  const { id } = route.useParams();
  const number = useQuery(numberQuery(id));
  const trail = (
    <TextLink to="/numbers" size="sm">
      Numbers
    </TextLink>
  );
  if (!number.data)
    return (
      <Page title="Number" trail={trail}>
        {number.isError ? (
          <ErrorNote error={number.error} onRetry={() => void number.refetch()} />
        ) : (
          <Skeleton height={280} />
        )}
      </Page>
    );
  const { data } = number;
  return (
    <Page
      title={formatPhone(data.phone_number)}
      trail={trail}
      badge={<NumberState number={data} />}
      description={
        <>
          {data.nickname ? `${data.nickname} · ` : ''}
          {data.provider === 'telco' ? 'imported from a carrier account' : 'connected by a SIP trunk'} · added{' '}
          <Time at={data.created_at} />
        </>
      }
      actions={<CopyButton value={data.phone_number} what="number" labelled />}
    >
      <CircuitNote number={data} />
      <NumberForm key={data.updated_at} number={data} />
      {data.provider === 'telco' && <PointHere number={data} />}
      <Secrets number={data} />
      <DeleteNumber number={data} />
    </Page>
  );
}

function CircuitNote({ number }: { number: PhoneNumber }) {
  const { data: circuits } = useQuery(circuitsQuery);
  const circuit = circuits?.get(number.id);
  if (!number.is_active)
    return (
      <Alert color="gray" title="Not active" mb="md">
        The operator activates numbers (parley number activate). Until then it places no calls; inbound calls
        are answered.
      </Alert>
    );
  if (!circuit) return <TrunkNote number={number} />;
  return (
    <Alert color="red" title="The circuit is open" mb="md">
      Since <Time at={circuit.at} /> the carrier failed again and again. Campaigns on this number wait and
      lose no attempts.{' '}
      {circuit.nextProbeAt ? (
        <>
          The next dial tests it <Time at={circuit.nextProbeAt} as="relative" />.
        </>
      ) : (
        'The next dial tests it.'
      )}
    </Alert>
  );
}

/** What the last checks of the trunk found, if it is not well. */
function TrunkNote({ number: { trunk } }: { number: PhoneNumber }) {
  if (!trunk) return null;
  if (trunk.health === 'down')
    return (
      <Alert color="red" title="The trunk does not respond" mb="md">
        Since <Time at={trunk.since} />: {trunk.reason ?? 'no answer to OPTIONS'}. Last checked{' '}
        <Time at={trunk.checked_at} as="relative" />.
      </Alert>
    );
  if (trunk.registration !== 'failed') return null;
  return (
    <Alert color="yellow" title="Inbound calls are not accepted" mb="md">
      {trunk.reason ?? 'The host of the trunk does not resolve to public addresses.'}
    </Alert>
  );
}

function NumberForm({ number }: { number: PhoneNumber }) {
  const { isAllowed, reason } = useRole('developer');
  const client = useQueryClient();
  const [inbound, setInbound] = useState(number.inbound_agent_id);
  const [outbound, setOutbound] = useState(number.outbound_agent_id);
  const [pace, setPace] = useState<number | string>(number.max_cps);
  const [webhook, setWebhook] = useState(number.inbound_webhook_url ?? '');
  const changes = {
    ...(inbound === number.inbound_agent_id ? {} : { inbound_agent_id: inbound }),
    ...(outbound === number.outbound_agent_id ? {} : { outbound_agent_id: outbound }),
    ...(Number(pace) === number.max_cps ? {} : { max_cps: Number(pace) }),
    ...(webhook === (number.inbound_webhook_url ?? '')
      ? {}
      : { inbound_webhook_url: webhook.trim() || null }),
  };
  const isDirty = Object.keys(changes).length > 0;
  const save = useMutation({
    mutationFn: () => api.phoneNumbers.update(number.id, changes),
    onSuccess: async (saved) => {
      client.setQueryData(numberQuery(number.id).queryKey, saved);
      await client.invalidateQueries({ queryKey: ['numbers', 'list'] });
      await client.invalidateQueries({ queryKey: ['assistants'] });
      notifyDone('Saved');
    },
  });
  const errors = errorsByField(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isDirty) save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Section title="Who uses it">
        <FieldSet disabled={!isAllowed} maxWidth={560}>
          <AssistantSelect
            label="Answers calls"
            description="The inbound webhook, if there is one, may choose another assistant for a call."
            none="Nobody: calls are not answered"
            value={inbound}
            name={number.inbound_agent_name}
            onChange={setInbound}
            error={errors.inbound_agent_id}
            disabled={!isAllowed}
          />
          <AssistantSelect
            label="Places calls"
            description="When a call names no assistant."
            none="Only those that a call names"
            value={outbound}
            name={number.outbound_agent_name}
            onChange={setOutbound}
            error={errors.outbound_agent_id}
            disabled={!isAllowed}
          />
        </FieldSet>
      </Section>
      <Section title="Pace and inbound webhook">
        <FieldSet disabled={!isAllowed} maxWidth={560}>
          <NumberInput
            label="Calls per second"
            description="Outbound, at most, across campaigns and single calls. 0.1 is one every ten seconds."
            min={0.1}
            max={1000}
            step={0.5}
            decimalScale={2}
            clampBehavior="none"
            value={pace}
            onChange={setPace}
            error={errors.max_cps}
            styles={{ wrapper: { maxWidth: 280 } }}
          />
          <TextInput
            label="Inbound webhook"
            description={
              number.provider === 'telco'
                ? 'For numbers on a SIP trunk only.'
                : 'Asked before an inbound call connects: it may choose the assistant and give variables. https only; empty: off.'
            }
            placeholder="https://example.com/inbound"
            value={webhook}
            onChange={(event) => setWebhook(event.currentTarget.value)}
            error={errors.inbound_webhook_url}
            disabled={number.provider === 'telco'}
          />
        </FieldSet>
        {save.isError && <ErrorNote error={save.error} />}
        <Group mt="md" gap="sm">
          <RoleGate minimum="developer">
            <Button type="submit" loading={save.isPending} disabled={isAllowed && !isDirty}>
              Save
            </Button>
          </RoleGate>
          <Text size="sm" c="dimmed" role="status">
            {isDirty ? 'Unsaved changes' : (reason ?? '')}
          </Text>
        </Group>
      </Section>
    </form>
  );
}

function PointHere({ number }: { number: PhoneNumber }) {
  const point = useMutation({
    mutationFn: () => api.phoneNumbers.pointTelco(number.id),
    onSuccess: () => notifyDone('The carrier now sends calls of this number here'),
  });
  return (
    <Section
      title="Inbound calls"
      description="The carrier has to send calls of this number here. It is set up once, and can be repeated."
    >
      {point.isError && <ErrorNote error={point.error} />}
      <RoleGate minimum="developer">
        <Button variant="default" loading={point.isPending} onClick={() => point.mutate()}>
          Set up at the carrier
        </Button>
      </RoleGate>
    </Section>
  );
}

function Secrets({ number }: { number: PhoneNumber }) {
  const what =
    number.provider === 'telco'
      ? 'Account SID and auth token'
      : 'Address, transport, user name and password of the trunk';
  return (
    <Section title="Connection">
      <Text size="sm">
        {what}: <span aria-hidden="true">••••••••</span>
      </Text>
      {number.trunk && (
        <Text size="sm" mt={4}>
          Trunk: {TRUNK_WORDS[number.trunk.health]}
          {number.trunk.checked_at && (
            <>
              , checked <Time at={number.trunk.checked_at} as="relative" />
            </>
          )}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt={4}>
        Stored encrypted and never shown. To change them, delete the number and connect it again; calls that
        were made keep their numbers.
      </Text>
    </Section>
  );
}

const TRUNK_WORDS = { unknown: 'not checked yet', up: 'responds', down: 'does not respond' } as const;

function DeleteNumber({ number }: { number: PhoneNumber }) {
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const shown = formatPhone(number.phone_number);
  return (
    <Section title="Delete">
      <Group justify="space-between" gap="md">
        <Text size="sm" c="dimmed" maw={560}>
          Nothing changes at the carrier. A campaign that can still dial from this number blocks it: complete
          or cancel the campaign first.
        </Text>
        <ConfirmAction
          title={`Delete ${shown}?`}
          confirmLabel="Delete number"
          typed={number.phone_number}
          onConfirm={async () => {
            await api.phoneNumbers.delete(number.id);
            await client.invalidateQueries({ queryKey: ['numbers', 'list'] });
            notifyDone(`${shown} is deleted`);
            await navigate({ to: '/numbers', search: {} });
          }}
          trigger={(ask) => (
            <RoleGate minimum="developer">
              <Button color="red" variant="light" onClick={ask}>
                Delete number
              </Button>
            </RoleGate>
          )}
        >
          Its queued calls end as dial_failed, calls in progress go on, and past calls are kept. Its trunk and
          credentials are removed. This cannot be undone, but the number can be connected again.
        </ConfirmAction>
      </Group>
    </Section>
  );
}
