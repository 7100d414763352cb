import { Select } from '@mantine/core';
import type { AssistantListItem } from '../assistants/queries.ts';

type Props = { agents: readonly AssistantListItem[]; onChoose(id: string | null): void };

/** The assistant that a new tool is for; null: none after all. */
export function AgentChoice({ agents, onChoose }: Props) {
  return (
    <Select
      aria-label="Assistant of the new tool"
      placeholder="For which assistant?"
      data={agents.map(({ id, agent_name }) => ({ value: id, label: agent_name }))}
      searchable
      defaultDropdownOpened
      autoFocus
      onBlur={() => onChoose(null)}
      onChange={onChoose}
    />
  );
}
