import { Select } from '@mantine/core';
import { useAssistantOptions } from '../../components/searched-options.tsx';

/** The assistant that a new tool is for; null: none after all. */
export function AgentChoice({ onChoose }: { onChoose(id: string | null): void }) {
  const assistants = useAssistantOptions();
  const { props } = assistants;
  return (
    <Select
      aria-label="Assistant of the new tool"
      placeholder="For which assistant?"
      {...props}
      value={null}
      nothingFoundMessage={assistants.isEmpty ? 'Create an assistant first' : props.nothingFoundMessage}
      error={assistants.error}
      defaultDropdownOpened
      autoFocus
      onBlur={() => onChoose(null)}
      onChange={onChoose}
    />
  );
}
