import { notFound } from '@parley/kit/errors';
import { toAssistantAnswer } from './assistant.ts';
import type { AssistantStore } from './ports.ts';

export async function getAssistant(
  { assistants }: { assistants: AssistantStore },
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toAssistantAnswer>> {
  const assistant = await assistants.find(workspaceId, id);
  if (!assistant) throw notFound('Assistant');
  return toAssistantAnswer(assistant);
}
