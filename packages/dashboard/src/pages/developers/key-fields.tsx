import { MultiSelect, NumberInput, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import { useAssistantOptions } from '../../components/searched-options.tsx';
import type { ApiKey, KeyForm } from './key-form.ts';

type Props = {
  type: ApiKey['type'];
  form: KeyForm;
  onChange: (changes: Partial<KeyForm>) => void;
  /** Messages of the API by field. */
  errors: Record<string, string>;
};

/** The name and the settings of a key, as far as its type has them. */
export function KeyFields({ type, form, onChange, errors }: Props) {
  const assistants = useAssistantOptions({ chosen: form.agentIds });
  return (
    <>
      <TextInput
        label="Name"
        description="What uses it, so that you know later what stops when you revoke it."
        required
        withAsterisk={false}
        maxLength={255}
        value={form.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={errors.name}
        data-autofocus
      />
      <MultiSelect
        label="Assistants"
        description="The only ones that the key can use."
        placeholder={form.agentIds.length === 0 ? 'All assistants' : undefined}
        {...assistants.props}
        value={form.agentIds}
        onChange={(agentIds) => onChange({ agentIds })}
        error={errors.agent_ids ?? assistants.error}
        clearable
      />
      {type === 'private' ? (
        <PrivateFields form={form} onChange={onChange} errors={errors} />
      ) : (
        <PublicFields form={form} onChange={onChange} errors={errors} />
      )}
    </>
  );
}

type TypeProps = Omit<Props, 'type'>;

function PrivateFields({ form, onChange, errors }: TypeProps) {
  return (
    <>
      <Switch
        label="Read only"
        description="Requests that change something are refused."
        checked={form.readOnly}
        onChange={(event) => onChange({ readOnly: event.currentTarget.checked })}
      />
      <TagsInput
        label="Networks"
        description="IP addresses and networks that can use it, such as 203.0.113.0/24. Press Enter after each."
        placeholder={form.networks.length === 0 ? 'Any' : undefined}
        value={form.networks}
        onChange={(networks) => onChange({ networks })}
        error={errorOf(errors, 'allowed_networks')}
      />
    </>
  );
}

function PublicFields({ form, onChange, errors }: TypeProps) {
  return (
    <>
      <TagsInput
        label="Pages"
        description="Origins whose pages can use it: https://shop.example.com, or https://*.example.com. Press Enter after each."
        placeholder={form.origins.length === 0 ? 'Any page' : undefined}
        value={form.origins}
        onChange={(origins) => onChange({ origins })}
        error={errorOf(errors, 'allowed_origins')}
      />
      <TagsInput
        label="Variables"
        description="Names of the dynamic variables that a page can set."
        placeholder={form.variables.length === 0 ? 'Any' : undefined}
        value={form.variables}
        onChange={(variables) => onChange({ variables })}
        error={errorOf(errors, 'variables')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {NUMBERS.map(({ name, field, label, max }) => (
          <NumberInput
            key={name}
            label={label}
            placeholder="Default"
            min={1}
            max={max}
            allowDecimal={false}
            value={form[name]}
            onChange={(value) => onChange({ [name]: value })}
            error={errors[field]}
          />
        ))}
      </SimpleGrid>
    </>
  );
}

const NUMBERS = [
  { name: 'callsPerMinute', field: 'calls_per_minute', label: 'Calls per minute', max: 1_000_000 },
  {
    name: 'callsPerMinutePerAddress',
    field: 'calls_per_minute_per_address',
    label: 'Calls per minute and visitor',
    max: 1_000_000,
  },
  { name: 'maxLiveCalls', field: 'max_live_calls', label: 'Concurrent calls', max: 100_000 },
  { name: 'maxCallDuration', field: 'max_call_duration', label: 'Longest call, in seconds', max: 7_200 },
] as const;

/** Of a list: errors of its items are at `name.0`, `name.1`, … */
function errorOf(errors: Record<string, string>, name: string): string | undefined {
  const path = Object.keys(errors).find((key) => key === name || key.startsWith(`${name}.`));
  return path === undefined ? undefined : errors[path];
}
