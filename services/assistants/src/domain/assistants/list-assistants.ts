import type { assistantListItem, BodyOf, listAssistants as contract } from '@parley/contracts';
import { type ListAnswer, toListPage } from '@parley/kit/http';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import type { AssistantStore, AssistantSummary } from './ports.ts';

type Item = z.output<typeof assistantListItem>;

/** Newest edit first, with an extract of the configuration (spec: POST /v1/assistant/list). */
export async function listAssistants(
  { assistants }: { assistants: AssistantStore },
  workspaceId: string,
  { page, size, search }: BodyOf<typeof contract>,
): Promise<ListAnswer<Item>> {
  const { items, total } = await assistants.page(workspaceId, {
    search,
    limit: size,
    offset: (page - 1) * size,
  });
  return toListPage({ page, size }, { items: items.map(toItem), total });
}

function toItem(summary: AssistantSummary): Item {
  return {
    id: summary.id,
    agent_name: summary.agentName,
    updated_at: toIsoMillis(summary.updatedAt),
    config: { systemPrompt: summary.systemPrompt, voice: summary.voice },
    inbound_phone_number: summary.inboundPhoneNumber,
    outbound_phone_number: summary.outboundPhoneNumber,
  };
}
