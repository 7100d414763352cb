import { useDebouncedValue } from '@mantine/hooks';
import { IconMessageChatbot, IconPhone, IconSpeakerphone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { useNavigate } from '@tanstack/react-router';
import { api } from '../app/client.ts';
import { formatPhone } from '../app/format-phone.ts';
import type { Command } from './commands.ts';

const TYPING_MS = 200;
const MIN_CHARACTERS = 2;
const SHOWN = 5;

/** Assistants, campaigns and numbers whose name contains what is typed. `isPartial`: some could not be searched. */
export function useFound(typed: string, navigate: ReturnType<typeof useNavigate>) {
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  const isEnabled = search.length >= MIN_CHARACTERS;
  const { data, isFetching } = useQuery({
    queryKey: ['find', search],
    queryFn: ({ signal }) =>
      Promise.allSettled([
        api.assistants.list({ search, size: SHOWN }, { signal }),
        api.campaigns.list({ search, limit: SHOWN }, { signal }),
        api.phoneNumbers.list({ search, size: SHOWN }, { signal }),
      ]),
    enabled: isEnabled,
  });
  const [assistants, campaigns, numbers] = data ?? [];
  const found: Command[] = [
    ...itemsOf(assistants).map(({ id, agent_name: label }) => ({
      ...{ id, label, group: 'Assistant', icon: IconMessageChatbot },
      run: () => void navigate({ to: '/assistants/$id', params: { id } }),
    })),
    ...itemsOf(campaigns).map(({ campaign_id: id, campaign_name: label }) => ({
      ...{ id, label, group: 'Campaign', icon: IconSpeakerphone },
      run: () => void navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } }),
    })),
    ...itemsOf(numbers).map(({ id, nickname, phone_number: number }) => ({
      ...{ id, label: nickname ? `${nickname} ${formatPhone(number)}` : formatPhone(number) },
      ...{ group: 'Number', icon: IconPhone },
      run: () => void navigate({ to: '/numbers/$id', params: { id } }),
    })),
  ];
  return {
    found,
    isSearching: isFetching || (typed.trim() !== search && typed.trim().length >= MIN_CHARACTERS),
    isPartial: data?.some(({ status }) => status === 'rejected') ?? false,
  };
}

function itemsOf<Item>(
  result: PromiseSettledResult<{ items: readonly Item[] }> | undefined,
): readonly Item[] {
  return result?.status === 'fulfilled' ? result.value.items : [];
}
