import { NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEditor } from './editor-context.ts';

type FieldProps = { path: string; label: string; description?: ReactNode };

/** The attributes of every field: its error, and the path by which errors jump to it. */
function useField(path: string) {
  const { get, set, errors } = useEditor();
  return {
    value: get(path),
    set: (value: unknown) => set(path, value),
    error: errors[path],
    'data-path': path,
  };
}

export function TextField(
  props: FieldProps & { placeholder?: string; isLong?: boolean; isOptional?: boolean },
) {
  const { path, isLong, isOptional = false, ...shown } = props;
  const { value, set, ...field } = useField(path);
  const common = {
    ...shown,
    ...field,
    value: typeof value === 'string' ? value : '',
    onChange: (event: { currentTarget: { value: string } }) =>
      set(isOptional && event.currentTarget.value === '' ? undefined : event.currentTarget.value),
  };
  return isLong ? <Textarea autosize minRows={2} maxRows={8} {...common} /> : <TextInput {...common} />;
}

export function NumberField(
  props: FieldProps & { min: number; max: number; step?: number; suffix?: string; decimals?: number },
) {
  const { path, decimals = 0, ...shown } = props;
  const { value, set, ...field } = useField(path);
  return (
    <NumberInput
      {...shown}
      {...field}
      decimalScale={decimals}
      clampBehavior="none"
      styles={{ wrapper: { maxWidth: 320 } }}
      value={typeof value === 'number' || typeof value === 'string' ? value : ''}
      onChange={(next) => set(next === '' ? undefined : next)}
    />
  );
}

export function SwitchField({ path, label, description, ...rest }: FieldProps & { isOnByDefault?: boolean }) {
  const { value, set, error, ...field } = useField(path);
  return (
    <Switch
      {...field}
      label={label}
      description={description}
      error={error}
      checked={typeof value === 'boolean' ? value : (rest.isOnByDefault ?? false)}
      onChange={(event) => set(event.currentTarget.checked)}
    />
  );
}

export function ChoiceField<T extends string>(
  props: FieldProps & { choices: readonly { value: T; label: string }[]; isSearchable?: boolean },
) {
  const { path, choices, isSearchable = false, ...shown } = props;
  const { value, set, ...field } = useField(path);
  const known = choices.some((choice) => choice.value === value);
  const unknown = typeof value === 'string' && !known ? [{ value, label: value }] : [];
  return (
    <Select
      {...shown}
      {...field}
      data={[...choices, ...unknown]}
      value={typeof value === 'string' ? value : null}
      onChange={(next) => set(next)}
      allowDeselect={false}
      searchable={isSearchable}
      comboboxProps={{ withinPortal: true }}
      styles={{ wrapper: { maxWidth: 480 } }}
    />
  );
}

export function WordsField({ path, label, description }: FieldProps) {
  const { value, set, ...field } = useField(path);
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
  return (
    <TagsInput
      {...field}
      label={label}
      description={description}
      value={words}
      onChange={set}
      placeholder={words.length === 0 ? 'Type a word and press Enter' : ''}
      splitChars={[',', ';']}
      maxTags={100}
    />
  );
}
