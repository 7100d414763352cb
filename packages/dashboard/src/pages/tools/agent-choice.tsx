import { Select } from '@mantine/core';
import { useAssistantOptions } from '../../components/searched-options.tsx';

type Props = { onChoose(id: string): void; onClose(): void };

/** The assistant that a new tool is for. */
export function AgentChoice({ onChoose, onClose }: Props) {
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
      onBlur={onClose}
      onChange={(id) => (id === null ? onClose() : onChoose(id))}
    />
  );
}
