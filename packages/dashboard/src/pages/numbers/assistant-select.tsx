import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { allAssistantsQuery } from '../assistants/queries.ts';

type Props = {
  label: string;
  description?: string;
  /** What no assistant means. */
  none: string;
  value: string | null;
  /** The name of `value`, while the list is on its way. */
  name?: string | null;
  onChange(id: string | null): void;
  error?: string | undefined;
  disabled?: boolean;
};

/** One of the workspace's assistants, or none. */
export function AssistantSelect({ none, value, name, onChange, ...shown }: Props) {
  const { data } = useQuery(allAssistantsQuery);
  const known = data?.map(({ id, agent_name }) => ({ value: id, label: agent_name })) ?? [];
  const missing =
    value !== null && !known.some((item) => item.value === value) ? [{ value, label: name ?? value }] : [];
  return (
    <Select
      {...shown}
      data={[{ value: '', label: none }, ...missing, ...known]}
      value={value ?? ''}
      onChange={(id) => onChange(id || null)}
      allowDeselect={false}
      searchable
      nothingFoundMessage="No assistant has this name"
    />
  );
}
