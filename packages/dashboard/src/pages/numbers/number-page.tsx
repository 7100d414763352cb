import { Alert, Button, Group, Skeleton, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../app/client.ts';
import { isNotFound } from '../../app/describe-error.ts';
import { formatPhone } from '../../app/format-phone.ts';
import { notifyDone } from '../../app/notify.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { OutdatedNote } from '../../components/outdated-note.tsx';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import { writeDraft } from '../../drafts/draft-storage.ts';
import { useDraftKey } from '../../drafts/use-draft-key.ts';
import { useGoneDrafts } from '../../drafts/use-gone-drafts.ts';
import { draftName, NumberForm } from './number-form.tsx';
import { NumberState } from './number-state.tsx';
import { circuitsQuery, numberQuery, type PhoneNumber } from './queries.ts';

const route = getRouteApi('/shell/numbers/$id');

/** One number: who uses it, how fast it dials, and its state. */
export function NumberPage() {
  const { id } = route.useParams();
  const number = useQuery(numberQuery(id));
  useGoneDrafts(draftName(id), !number.data && isNotFound(number.error));
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
      actions={<CopyButton value={data.phone_number} what="number" labeled />}
    >
      <OutdatedNote query={number} />
      <CircuitNote number={data} />
      <NumberForm key={id} number={data} />
      {data.provider === 'telco' && <PointHere number={data} />}
      <Secrets number={data} />
      <DeleteNumber number={data} />
    </Page>
  );
}

function CircuitNote({ number }: { number: PhoneNumber }) {
  const { data: circuits } = useQuery(circuitsQuery);
  const circuit = circuits?.(number.id);
  if (!number.is_active)
    return (
      <Alert color="gray" title="Not active" mb="md">
        The operator activates numbers (parley number activate). Until then it places no calls; inbound calls
        are answered.
      </Alert>
    );
  if (circuit === undefined || circuit === 'closed') return <TrunkNote number={number} />;
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
  const draftKey = useDraftKey(draftName(number.id));
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
            writeDraft(draftKey, undefined);
            await navigate({ to: '/numbers', search: {}, ignoreBlocker: true });
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
