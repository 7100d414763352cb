import {
  ActionIcon,
  Button,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { isObject, type JsonObject } from '../model/json.ts';
import { nameProblem } from '../model/schema-rows.ts';
import { useEditor } from './editor-context.ts';
import { SwitchField } from './fields.tsx';
import { Section } from './section.tsx';

const FIELDS = 'config.settings.postCallAnalysis.fields';
const TYPES = [
  { value: 'string', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
  { value: 'enum', label: 'One of several' },
];

/** What is found out from each conversation after its end. */
export function AnalysisSection() {
  const { get, set } = useEditor();
  const value = get(FIELDS);
  const fields = Array.isArray(value) ? value.filter(isObject) : [];
  const isOn = get('config.settings.postCallAnalysis.enabled') !== false;
  const change = (i: number, field: JsonObject) =>
    set(
      FIELDS,
      fields.map((known, k) => (k === i ? field : known)),
    );
  return (
    <Section
      title="Analysis"
      about="After a call these values are read from its transcript. They are in analysis_data of the call and of call_analyzed."
    >
      <SwitchField path="config.settings.postCallAnalysis.enabled" label="Analyze calls" isOnByDefault />
      {isOn && fields.length === 0 && (
        <Text size="sm" c="dimmed">
          No fields yet: analysis_data stays empty. A field is something you want to know of every call, such
          as whether the appointment stands.
        </Text>
      )}
      {isOn && (
        <Stack gap="sm">
          {fields.map((field, i) => (
            <FieldCard
              key={i}
              index={i}
              field={field}
              others={fields.filter((_, k) => k !== i).map(({ name }) => String(name))}
              onChange={(next) => change(i, next)}
              onRemove={() =>
                set(
                  FIELDS,
                  fields.filter((_, k) => k !== i),
                )
              }
            />
          ))}
          <div>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} />}
              onClick={() => set(FIELDS, [...fields, { type: 'string', name: '', description: '' }])}
            >
              Add field
            </Button>
          </div>
        </Stack>
      )}
    </Section>
  );
}

type CardProps = {
  index: number;
  field: JsonObject;
  others: readonly string[];
  onChange(field: JsonObject): void;
  onRemove(): void;
};

function FieldCard({ index, field, others, onChange, onRemove }: CardProps) {
  const { errors } = useEditor();
  const errorOf = (key: string) => errors[`${FIELDS}.${index}.${key}`];
  const name = String(field.name ?? '');
  const change = (key: string, value: unknown) => {
    const { [key]: _, ...rest } = field;
    onChange(value === undefined ? rest : { ...field, [key]: value });
  };
  return (
    <Paper
      withBorder
      p="sm"
      component="fieldset"
      m={0}
      aria-label={`Field ${name || index + 1}`}
      data-path={`${FIELDS}.${index}`}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => change('name', event.currentTarget.value)}
          error={errorOf('name') ?? (name === '' ? undefined : nameProblem(name, others))}
          placeholder="appointment_confirmed"
        />
        <Select
          label="Type"
          data={TYPES}
          value={String(field.type)}
          allowDeselect={false}
          error={errorOf('type')}
          onChange={(type) => {
            const { choices: _, ...rest } = field;
            onChange(type === 'enum' ? { ...rest, type, choices: [] } : { ...rest, type });
          }}
        />
      </SimpleGrid>
      <TextInput
        mt="sm"
        label="What to find out"
        value={String(field.description ?? '')}
        onChange={(event) => change('description', event.currentTarget.value)}
        error={errorOf('description')}
        placeholder="Whether the appointment stands"
      />
      {field.type === 'enum' && (
        <TagsInput
          mt="sm"
          label="Choices"
          value={Array.isArray(field.choices) ? field.choices.map(String) : []}
          onChange={(choices) => change('choices', choices)}
          error={errorOf('choices')}
          placeholder="Type a choice and press Enter"
        />
      )}
      <TextInput
        mt="sm"
        label="Examples"
        value={typeof field.examples === 'string' ? field.examples : ''}
        onChange={(event) => change('examples', event.currentTarget.value || undefined)}
        error={errorOf('examples')}
      />
      <Group justify="space-between" mt="sm">
        <Switch
          label="Every call should have it"
          checked={field.required === true}
          onChange={(event) => change('required', event.currentTarget.checked || undefined)}
        />
        <ActionIcon aria-label={`Remove field ${name || index + 1}`} onClick={onRemove}>
          <IconTrash size={18} />
        </ActionIcon>
      </Group>
    </Paper>
  );
}
