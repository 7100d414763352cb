import { Select } from '@mantine/core';
import { useAssistantOptions } from '../../components/searched-options.tsx';

type Props = {
  label: string;
  description?: string;
  /** What no assistant means. */
  none: string;
  value: string | null;
  onChange(id: string | null): void;
  error?: string | undefined;
  disabled?: boolean;
};

/** One of the workspace's assistants, or none. */
export function AssistantSelect({ none, value, onChange, error, ...shown }: Props) {
  const assistants = useAssistantOptions({
    first: [{ value: '', label: none }],
    chosen: value === null ? [] : [value],
  });
  return (
    <Select
      {...shown}
      {...assistants.props}
      value={value ?? ''}
      onChange={(id) => onChange(id || null)}
      error={error ?? assistants.error}
      allowDeselect={false}
    />
  );
}
