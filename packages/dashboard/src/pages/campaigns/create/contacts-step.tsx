import { Alert, Button, Checkbox, Group, Loader, Select, Stack, Text } from '@mantine/core';
import { Suspense } from 'react';
import { formatCount, plural } from '../../../app/format-number.ts';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { BadRows } from './bad-rows.tsx';
import { ColumnMapping } from './column-mapping.tsx';
import styles from './contacts-step.module.css';
import { ListSource } from './list-source.tsx';
import { UnreadableList } from './read-list.ts';
import type { ContactList } from './use-contact-list.ts';

const CountrySelect = lazyComponent(() => import('./country-select.tsx'), 'CountrySelect');

type Props = { list: ContactList; placeholders: readonly string[] };

/** From a file or pasted text to contacts: columns, bad rows, duplicates. */
export function ContactsStep({ list, placeholders }: Props) {
  const { change } = list.draft;
  if (list.source === null)
    return (
      <ListSource pasted={list.pasted} onPasted={(pasted) => change({ pasted })} onSource={list.setSource} />
    );
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <div>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {list.source.fileName ?? 'Pasted list'}
          </Text>
          <Text size="sm" c="dimmed">
            {list.isReading ? 'Reading …' : plural(list.rows.length, 'row')}
          </Text>
        </div>
        <Button variant="default" size="xs" onClick={() => list.setSource(null)}>
          Use another list
        </Button>
      </Group>
      {list.isReading ? <Loader size="sm" aria-label="The list is being read" /> : null}
      {list.error ? <Unreadable error={list.error} /> : null}
      {list.rows.length > 0 ? <ReadList list={list} placeholders={placeholders} /> : null}
    </Stack>
  );
}

function Unreadable({ error }: { error: unknown }) {
  return (
    <Alert color="red" variant="light" role="alert" title="This list cannot be read">
      {error instanceof UnreadableList ? error.message : 'It does not have the form of rows and columns.'}
    </Alert>
  );
}

function ReadList({ list, placeholders }: Props) {
  const { change } = list.draft;
  const { contacts, bad, repeated } = list.checked;
  return (
    <>
      <Group gap="lg" align="end">
        <Suspense
          fallback={<Select label="Country of numbers without a country code" disabled w={300} maw="100%" />}
        >
          <CountrySelect value={list.countryCode} onChange={(countryCode) => change({ countryCode })} />
        </Suspense>
        <Checkbox
          label="The first row names the columns"
          checked={list.isTitled}
          onChange={(event) => change({ isTitled: event.currentTarget.checked })}
          mb={8}
        />
      </Group>
      <ColumnMapping list={list} placeholders={placeholders} />
      <div className={styles.result} data-good={contacts.length > 0 || undefined} role="status">
        <Text fw={600}>
          {contacts.length > 0
            ? `${plural(contacts.length, 'contact')} can be called`
            : 'No contact can be called yet'}
        </Text>
        <Text size="sm">{summaryWords(bad.length, contacts.length)}</Text>
      </div>
      {repeated > 0 ? (
        <Checkbox
          label={`Call each number once: ${formatCount(repeated)} of the contacts repeat a number`}
          description="The first one in the list is kept"
          checked={list.skipDuplicates}
          onChange={(event) => change({ skipDuplicates: event.currentTarget.checked })}
        />
      ) : null}
      <BadRows bad={bad} onCorrect={list.correct} />
    </>
  );
}

function summaryWords(bad: number, good: number): string {
  if (bad === 0) return good > 0 ? 'Every row is fine.' : 'Choose the column with the phone numbers.';
  return `${plural(bad, 'row')} cannot be called: correct them below, or go on without them.`;
}
