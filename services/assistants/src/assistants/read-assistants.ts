import type { assistantListItem, BodyOf, listAssistants as contract } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type Auth, agentIdsOf, type StreamedList, toListPage } from '@parley/kit/http';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import { toAssistantResponse } from './assistant.ts';
import type { AssistantSummary } from './assistant-page.ts';
import type { AssistantStore } from './assistants.store.ts';

export async function getAssistant(
  { assistants }: { assistants: AssistantStore },
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toAssistantResponse>> {
  const assistant = await assistants.find(workspaceId, id);
  if (!assistant) throw notFound('Assistant');
  return toAssistantResponse(assistant);
}

type Item = z.output<typeof assistantListItem>;

/** Most recently updated first, with an excerpt of the configuration [assistants.4]. */
export async function listAssistants(
  { assistants }: { assistants: AssistantStore },
  auth: Auth,
  { page, size, search }: BodyOf<typeof contract>,
): Promise<StreamedList<Item>> {
  const { items, total } = await assistants.page(auth.workspaceId, {
    search,
    within: agentIdsOf(auth),
    limit: size,
    offset: (page - 1) * size,
  });
  return toListPage({ page, size }, { items: toItems(items), total });
}

async function* toItems(summaries: AsyncIterable<AssistantSummary>): AsyncGenerator<Item> {
  for await (const summary of summaries) yield toItem(summary);
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
