import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { JsonEditor } from '../../components/json/json-editor.tsx';
import { isObject, type JsonObject } from '../assistants/model/json.ts';
import {
  nameProblem,
  ROW_TYPES,
  type RowType,
  type SchemaRow,
  toRows,
  toSchema,
} from '../assistants/model/schema-rows.ts';

const TYPE_LABELS: Readonly<Record<RowType, string>> = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  array: 'List',
  object: 'Object',
};

export type SchemaState = { schema: JsonObject | null; text: string; problem: string | undefined };

export function schemaState(schema: JsonObject | null): SchemaState {
  return { schema, text: schema === null ? '' : JSON.stringify(schema, null, 2), problem: undefined };
}

type Props = {
  state: SchemaState;
  onChange(state: SchemaState): void;
  error: string | undefined;
  isLocked: boolean;
};

/** The arguments of a tool: as a form, or as the JSON Schema that it writes. */
export function SchemaEditor({ state, onChange, error, isLocked }: Props) {
  const rows = state.problem === undefined ? toRows(state.schema) : undefined;
  const [view, setView] = useState<'form' | 'json'>(() => (rows ? 'form' : 'json'));
  const shown = rows ? view : 'json';
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <div>
          <Text fw={500} size="sm" id="arguments">
            Arguments
          </Text>
          <Text size="xs" c="dimmed">
            What the model has to find out before it uses the tool.
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          aria-label="Edit the arguments as"
          value={shown}
          onChange={(next) => setView(next === 'json' ? 'json' : 'form')}
          data={[
            { value: 'form', label: 'Form', disabled: !rows },
            { value: 'json', label: 'JSON Schema' },
          ]}
        />
      </Group>
      {!rows && state.problem === undefined && (
        <Text size="xs" c="dimmed">
          This schema has more than a form can show, so it is edited as JSON.
        </Text>
      )}
      {shown === 'form' && rows ? (
        <Rows rows={rows} onChange={(next) => onChange(schemaState(toSchema(next, state.schema)))} />
      ) : (
        <JsonEditor
          label="Arguments as JSON Schema"
          value={state.text}
          onChange={(text) => onChange({ ...read(text, state.schema), text })}
          minHeight={200}
          placeholder='{"type": "object", "properties": {}}'
          readOnly={isLocked}
        />
      )}
      {(state.problem ?? error) && (
        <Text size="xs" c="var(--bad)" role="alert">
          {state.problem ?? error}
        </Text>
      )}
    </Stack>
  );
}

function read(text: string, former: JsonObject | null): Pick<SchemaState, 'schema' | 'problem'> {
  if (text.trim() === '') return { schema: null, problem: undefined };
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { schema: value, problem: undefined };
    return { schema: former, problem: 'A JSON Schema is an object' };
  } catch (error) {
    return {
      schema: former,
      problem: `No valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function Rows({ rows, onChange }: { rows: SchemaRow[]; onChange(rows: SchemaRow[]): void }) {
  const change = (i: number, next: Partial<SchemaRow>) =>
    onChange(rows.map((row, k) => (k === i ? { ...row, ...next } : row)));
  const add = () =>
    onChange([
      ...rows,
      { name: freeName(rows), type: 'string', description: '', required: true, choices: [], rest: {} },
    ]);
  return (
    <Stack gap="xs">
      {rows.map((row, i) => (
        <RowCard
          key={i}
          row={row}
          others={rows.filter((_, k) => k !== i).map(({ name }) => name)}
          onChange={(next) => change(i, next)}
          onRemove={() => onChange(rows.filter((_, k) => k !== i))}
        />
      ))}
      <div>
        <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
          Add argument
        </Button>
      </div>
    </Stack>
  );
}

type RowProps = {
  row: SchemaRow;
  others: readonly string[];
  onChange(change: Partial<SchemaRow>): void;
  onRemove(): void;
};

function RowCard({ row, others, onChange, onRemove }: RowProps) {
  const { name, type, description, required, choices } = row;
  return (
    <Paper withBorder p="xs" component="fieldset" m={0} aria-label={`Argument ${name}`}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          error={nameProblem(name, others)}
        />
        <Select
          label="Type"
          data={ROW_TYPES.map((value) => ({ value, label: TYPE_LABELS[value] }))}
          value={type}
          allowDeselect={false}
          onChange={(next) => onChange({ type: ROW_TYPES.find((known) => known === next) ?? 'string' })}
        />
      </SimpleGrid>
      <TextInput
        mt="xs"
        label="Description for the model"
        value={description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
        placeholder="The day that suits the caller, as YYYY-MM-DD"
      />
      {type === 'string' && (
        <TagsInput
          mt="xs"
          label="Allowed values"
          value={choices}
          onChange={(next) => onChange({ choices: next })}
          placeholder={choices.length === 0 ? 'Any. Type a value and press Enter to allow only some' : ''}
        />
      )}
      <Group justify="space-between" mt="xs">
        <Checkbox
          label="Required"
          checked={required}
          onChange={(event) => onChange({ required: event.currentTarget.checked })}
        />
        <ActionIcon aria-label={`Remove argument ${name}`} onClick={onRemove}>
          <IconTrash size={16} />
        </ActionIcon>
      </Group>
    </Paper>
  );
}

function freeName(rows: readonly SchemaRow[]): string {
  const names = rows.map(({ name }) => name);
  for (let i = 1; ; i += 1) {
    const name = i === 1 ? 'argument' : `argument_${i}`;
    if (!names.includes(name)) return name;
  }
}
