import { Select, Text, TextInput } from '@mantine/core';
import styles from './column-mapping.module.css';
import type { ColumnUse } from './contact-columns.ts';
import type { ContactList } from './use-contact-list.ts';

type Props = { list: ContactList; placeholders: readonly string[] };

const SAMPLES = 3;
const USES = [
  { value: 'phone', label: 'Phone number' },
  { value: 'name', label: 'Contact name' },
  { value: 'variable', label: 'Variable' },
  { value: 'ignore', label: 'Leave out' },
];

/** What each column of the list becomes, beside its first values. */
export function ColumnMapping({ list, placeholders }: Props) {
  const { titles, columns, rows, isTitled } = list;
  const first = isTitled ? 1 : 0;
  return (
    <section aria-label="Columns">
      <Text fw={600} size="sm" mb="xs">
        Columns
      </Text>
      <ul className={styles.list}>
        {titles.map((title, i) => {
          const column = columns[i] ?? { use: 'ignore' };
          const samples = rows
            .slice(first, first + 50)
            .map((row) => (row[i] ?? '').trim())
            .filter((cell) => cell !== '')
            .slice(0, SAMPLES);
          return (
            <li key={title} className={styles.column}>
              <div className={styles.title}>
                <span className="truncate">{title}</span>
                <span className={`${styles.samples} truncate`}>{samples.join(' · ') || 'empty'}</span>
              </div>
              <Select
                aria-label={`Use of the column ${title}`}
                data={USES}
                value={column.use}
                allowDeselect={false}
                onChange={(value) => list.setColumn(i, useOf(value, title))}
              />
              {column.use === 'variable' ? (
                <TextInput
                  aria-label={`Name of the variable of the column ${title}`}
                  value={column.name}
                  leftSection="{{"
                  rightSection="}}"
                  error={column.name.trim() === '' ? 'A name is needed' : undefined}
                  onChange={(event) =>
                    list.setColumn(i, { use: 'variable', name: event.currentTarget.value })
                  }
                />
              ) : (
                <span />
              )}
            </li>
          );
        })}
      </ul>
      <Missing columns={columns} placeholders={placeholders} />
    </section>
  );
}

function useOf(value: string | null, title: string): ColumnUse {
  if (value === 'phone' || value === 'name' || value === 'ignore') return { use: value };
  return { use: 'variable', name: title.trim() };
}

function Missing({
  columns,
  placeholders,
}: {
  columns: readonly ColumnUse[];
  placeholders: readonly string[];
}) {
  const given = new Set(
    columns.map((column) => {
      if (column.use === 'name') return 'contact_name';
      return column.use === 'variable' ? column.name.trim() : '';
    }),
  );
  const missing = placeholders.filter((name) => !given.has(name));
  if (missing.length === 0) return null;
  return (
    <Text size="sm" mt="xs" className={styles.missing}>
      The assistant also uses {missing.map((name) => `{{${name}}}`).join(', ')}, for which no column is
      chosen: empty text is said instead.
    </Text>
  );
}
