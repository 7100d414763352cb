import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useAssistantOptions, useNumberOptions } from '../../../components/searched-options.tsx';
import { TextLink } from '../../calls/links.tsx';
import type { CampaignDraft, Problems } from './campaign-draft.ts';

type Props = {
  draft: CampaignDraft;
  onChange: (changed: Partial<CampaignDraft>) => void;
  problems: Problems;
};

/** Name, assistant and number of a campaign. */
export function CallerStep({ draft, onChange, problems }: Props) {
  const assistants = useAssistantOptions({ chosen: draft.agentId === null ? [] : [draft.agentId] });
  const numbers = useNumberOptions(draft.phoneNumber);
  return (
    <Stack gap="md" maw={520}>
      <TextInput
        label="Name"
        placeholder="Reminders for March"
        maxLength={255}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problems.name}
        data-autofocus
      />
      <Select
        label="Assistant"
        description="Who talks to the contacts"
        placeholder="Choose an assistant"
        {...assistants.props}
        value={draft.agentId}
        onChange={(agentId) => onChange({ agentId })}
        error={problems.agentId ?? assistants.error}
      />
      {assistants.isEmpty ? (
        <Text size="sm">
          There is no assistant yet. <TextLink to="/assistants">Create one</TextLink> first; what you typed
          stays here.
        </Text>
      ) : null}
      <Select
        label="Number"
        description="What the contacts see, and how fast it may dial"
        placeholder="Choose a number"
        {...numbers.props}
        value={draft.phoneNumber}
        onChange={(phoneNumber) => onChange({ phoneNumber })}
        error={problems.phoneNumber ?? numbers.error}
      />
      {numbers.isEmpty ? (
        <Text size="sm">
          There is no number yet. <TextLink to="/numbers">Connect one</TextLink> first; what you typed stays
          here.
        </Text>
      ) : null}
    </Stack>
  );
}
