import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { api, queryClient } from '../../app/client.ts';
import { notifyDone } from '../../app/notify.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { RoleGate, useRole } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { Time } from '../../components/time.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { numberProblem, plainNumber } from '../numbers/checks.ts';

type Erasure = Awaited<ReturnType<typeof api.privacy.list>>['items'][number];

const COLUMNS: Column<Erasure>[] = [
  { id: 'number', header: 'Number', render: ({ number_ending: ending }) => `… ${ending}` },
  {
    id: 'status',
    header: 'State',
    width: 260,
    render: ({ status, waiting_for: waitingFor }) => (
      <StatusDot tone={status === 'completed' ? 'good' : 'warn'}>
        {status === 'completed' ? 'Completed' : waitingFor ? `Waits for ${waitingFor}` : 'Running'}
      </StatusDot>
    ),
  },
  { id: 'by', header: 'Requested by', width: 220, render: ({ requested_by: by }) => by },
  { id: 'at', header: 'Requested', width: 150, render: ({ created_at: at }) => <Time at={at} /> },
];

const NOTHING = { number: '', keepsDoNotCall: true };

/** Removes what is stored about one phone number, as its owner may demand. */
export function ErasureSection() {
  const draft = useDraft('erasure', NOTHING);
  const { isAllowed } = useRole('admin');
  const { number, keepsDoNotCall } = draft.value;
  const plain = plainNumber(number);
  const problem = numberProblem(number);
  const list = useList({
    queryKey: ['erasures'],
    request: (offset = 0, signal) => api.privacy.list({ offset, limit: 50 }, { signal }),
  });
  const erase = async () => {
    await api.privacy.erase({ phone_number: plain, keep_do_not_call: keepsDoNotCall });
    draft.settle({ number, keepsDoNotCall }, NOTHING);
    await queryClient.invalidateQueries({ queryKey: ['erasures'] });
    notifyDone('The erasure has begun');
  };
  return (
    <Section
      title="Erase a person's data"
      description="Removes calls, recordings, transcripts and contacts with one phone number from all services, when a person demands it."
    >
      <Stack gap="md">
        <DraftNote draft={draft} />
        <Group align="flex-start" gap="xs">
          <TextInput
            label="Phone number"
            placeholder="+14155550123"
            type="tel"
            value={number}
            onChange={(event) => draft.change({ number: event.currentTarget.value })}
            error={problem}
            disabled={!isAllowed}
          />
          <ConfirmAction
            title="Erase all data of this number?"
            confirmLabel="Erase"
            onConfirm={erase}
            typed={plain}
            trigger={(open) => (
              <RoleGate minimum="admin">
                <Button
                  // Beside the field, below the height of its label.
                  mt={21}
                  variant="light"
                  color="red"
                  onClick={open}
                  disabled={isAllowed && (plain === '' || problem !== undefined)}
                >
                  Erase …
                </Button>
              </RoleGate>
            )}
          >
            All data with the number <b>{plain}</b> is removed from every service. This cannot be undone.
          </ConfirmAction>
        </Group>
        <Checkbox
          label="Keep the number on the do-not-call list, if it is there"
          checked={keepsDoNotCall}
          onChange={(event) => draft.change({ keepsDoNotCall: event.currentTarget.checked })}
          disabled={!isAllowed}
        />
        {list.items.length > 0 || list.error ? (
          <DataList
            label="Erasures"
            list={list}
            columns={COLUMNS}
            itemKey={({ id }) => id}
            empty={null}
            fixedColumns
          />
        ) : null}
      </Stack>
    </Section>
  );
}
