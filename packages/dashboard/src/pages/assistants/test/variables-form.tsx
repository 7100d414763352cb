import { Anchor, Button, Collapse, Select, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { TestOptions } from './test-session.ts';

type Props = {
  /** Of the placeholders in the draft. */
  names: readonly string[];
  values: Readonly<Record<string, string>>;
  onChange(values: Record<string, string>): void;
  callType: TestOptions['callType'];
  onCallType(callType: TestOptions['callType']): void;
  /** The conversation has begun, and needs the room. */
  isFolded: boolean;
};

const TYPES = [
  { value: 'web', label: 'a web call' },
  { value: 'inbound', label: 'an inbound call' },
  { value: 'outbound', label: 'an outbound call' },
];

/** What a call would bring along: the values of the placeholders, and its direction. */
export function VariablesForm({ names, values, onChange, callType, onCallType, isFolded }: Props) {
  const [chosen, setChosen] = useState<boolean>();
  const isOpen = chosen ?? (names.length > 0 && !isFolded);
  useEffect(() => {
    if (isFolded) setChosen(undefined);
  }, [isFolded]);
  const [added, setAdded] = useState('');
  const extra = Object.keys(values).filter((name) => !names.includes(name));
  const filled = names.filter((name) => (values[name] ?? '') !== '').length;
  const set = (name: string, value: string) => onChange({ ...values, [name]: value });
  return (
    <div>
      <UnstyledButton onClick={() => setChosen(!isOpen)} aria-expanded={isOpen} py={4}>
        <Text
          size="sm"
          fw={500}
          component="span"
          style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}
        >
          <IconChevronRight size={14} style={{ rotate: isOpen ? '90deg' : undefined }} />
          Variables
          <Text span size="xs" c="dimmed">
            {names.length === 0 ? 'none needed' : `${filled} of ${names.length} filled in`}
          </Text>
        </Text>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Stack gap="xs" pt={6}>
          {[...names, ...extra].map((name) => (
            <TextInput
              key={name}
              size="xs"
              label={name}
              value={values[name] ?? ''}
              onChange={(event) => set(name, event.currentTarget.value)}
              rightSection={
                extra.includes(name) ? (
                  <Anchor
                    component="button"
                    type="button"
                    size="xs"
                    aria-label={`Remove ${name}`}
                    onClick={() =>
                      onChange(Object.fromEntries(Object.entries(values).filter(([key]) => key !== name)))
                    }
                  >
                    ×
                  </Anchor>
                ) : undefined
              }
            />
          ))}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (added.trim() !== '') set(added.trim(), values[added.trim()] ?? '');
              setAdded('');
            }}
            style={{ display: 'flex', gap: 6 }}
          >
            <TextInput
              size="xs"
              aria-label="Name of another variable"
              placeholder="Another variable"
              value={added}
              onChange={(event) => setAdded(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
            <Button size="xs" variant="default" type="submit" disabled={added.trim() === ''}>
              Add
            </Button>
          </form>
          <Select
            size="xs"
            label="Test it as"
            data={TYPES}
            value={callType}
            allowDeselect={false}
            onChange={(value) => onCallType(value === 'inbound' || value === 'outbound' ? value : 'web')}
          />
        </Stack>
      </Collapse>
    </div>
  );
}
