import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconPhoneOff } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { api, queryClient } from '../../app/client.ts';
import { plural } from '../../app/format-number.ts';
import { notifyDone } from '../../app/notify.ts';
import { notifyUndoable } from '../../app/notify-undoable.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { type Filter, FilterBar } from '../../components/filter-bar/filter-bar.tsx';
import { Form } from '../../components/form.tsx';
import { Phone } from '../../components/phone.tsx';
import { RoleGate, useRole } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { SentBeforeNote } from '../../drafts/sent-before-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useSend } from '../../drafts/use-send.ts';
import { numbersIn } from './numbers-in.ts';

const KEY = ['do-not-call'];
const FILTERS: readonly Filter[] = [{ kind: 'text', name: 'search', label: 'Search numbers' }];

type Entry = Awaited<ReturnType<typeof api.doNotCall.list>>['items'][number];

export function DoNotCallPanel() {
  const [search, setSearch] = useState<string>();
  const list = useList({
    queryKey: [...KEY, search ?? ''],
    request: (offset = 0, signal) =>
      api.doNotCall.list({ offset, limit: 100, ...(search ? { search } : {}) }, { signal }),
  });
  return (
    <>
      <Section
        title="Add numbers"
        description="Neither single calls nor campaigns dial them. The list is checked right before each dial; inbound calls are not affected."
      >
        <AddForm />
      </Section>
      <DataList
        label="Numbers"
        list={list}
        columns={COLUMNS}
        itemKey={({ phone_number: number }) => number}
        fixedColumns
        isFiltered={search !== undefined}
        toolbar={
          <FilterBar
            filters={FILTERS}
            values={{ search }}
            onChange={(changes) => setSearch(changes.search)}
          />
        }
        noMatch={
          <EmptyState title="No number on the list matches">
            Search a part of the number, such as its last digits, or its beginning with the country code:
            +4930.
          </EmptyState>
        }
        empty={
          <EmptyState icon={<IconPhoneOff size={22} />} title="The list is empty">
            Add the numbers of people who do not want to be called. Assistants add a number when the person
            asks for it, if they have the tool.
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: Column<Entry>[] = [
  { id: 'number', header: 'Number', render: ({ phone_number: number }) => <Phone number={number} /> },
  { id: 'added', header: 'Added', width: 200, render: ({ created_at: at }) => <Time at={at} /> },
  {
    id: 'remove',
    header: '',
    width: 130,
    align: 'right',
    render: ({ phone_number: number }) => <RemoveButton number={number} />,
  },
];

function RemoveButton({ number }: { number: string }) {
  const remove = async () => {
    await api.doNotCall.remove(number);
    await queryClient.invalidateQueries({ queryKey: KEY });
    void notifyUndoable(`${number} may be called again`, async () => {
      await api.doNotCall.add({ phone_numbers: [number] });
      await queryClient.invalidateQueries({ queryKey: KEY });
    });
  };
  return (
    <ConfirmAction
      title="Remove from the list?"
      confirmLabel="Remove"
      onConfirm={remove}
      trigger={(open) => (
        <RoleGate minimum="developer">
          <Button size="compact-sm" variant="default" onClick={open} aria-label={`Remove ${number}`}>
            Remove
          </Button>
        </RoleGate>
      )}
    >
      <b>{number}</b> can be dialed again immediately, by campaigns that have it among their contacts too.
    </ConfirmAction>
  );
}

const NOTHING = { text: '' };

function AddForm() {
  const draft = useDraft('do-not-call', NOTHING);
  const { text } = draft.value;
  const { isAllowed } = useRole('developer');
  const numbers = useMemo(() => numbersIn(text), [text]);
  const add = useSend(draft, {
    subject: () => 'Do-not-call list',
    // Without the draft's key: a number that was removed meanwhile is added again.
    send: (sent) => api.doNotCall.add({ phone_numbers: numbersIn(sent.text) }),
    onSuccess: async ({ added }, sent) => {
      draft.settle(sent, NOTHING);
      await queryClient.invalidateQueries({ queryKey: KEY });
      notifyDone(`${plural(added, 'number')} added`);
    },
  });
  return (
    <Form onSubmit={add.submit}>
      <Stack gap="sm" maw={460}>
        <DraftNote draft={draft} />
        <Textarea
          label="Numbers"
          description="Such as +14155550123, one per line or separated by commas."
          autosize
          minRows={2}
          maxRows={8}
          value={text}
          onChange={(event) => draft.set({ text: event.currentTarget.value })}
          disabled={!isAllowed}
        />
        <SentBeforeNote of={add} />
        {add.error ? <ErrorNote error={add.error} /> : null}
        <Group gap="sm">
          <RoleGate minimum="developer">
            <Button type="submit" loading={add.isPending} disabled={isAllowed && numbers.length === 0}>
              Add
            </Button>
          </RoleGate>
          {numbers.length > 0 ? (
            <Text size="sm" c="dimmed">
              {plural(numbers.length, 'number')}
            </Text>
          ) : null}
        </Group>
      </Stack>
    </Form>
  );
}
