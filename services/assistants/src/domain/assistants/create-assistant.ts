import { type BodyOf, type createAssistant as contract, NATIVE_TOOL_NAMES } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import { mergeNativeEntries, NATIVE_DEFAULTS } from '../config/native-entries.ts';
import { prepareConfig } from '../config/prepare-config.ts';
import type { CreateRequest } from '../ports.ts';
import { provisionNativeTool } from '../tools/native-tool.ts';
import { type Assistant, toAssistantAnswer } from './assistant.ts';
import { announceAssistants } from './change-assistant.ts';
import type { AssistantDeps } from './deps.ts';
import { knownKnowledgeBases } from './known-knowledge-bases.ts';

/**
 * Creates an assistant with its configuration completed, and the native tools that it switches on: `end_call` unless
 * the body says otherwise (D3.1).
 */
export async function createAssistant(
  deps: AssistantDeps,
  { workspaceId, requestId, idempotency }: CreateRequest,
  body: BodyOf<typeof contract>,
): Promise<ReturnType<typeof toAssistantAnswer>> {
  const { nativeTools, ...document } = body.config;
  const draft = { document, entries: mergeNativeEntries(NATIVE_DEFAULTS, nativeTools) };
  const owner = { id: newId(), workspaceId };
  return deps.transact(async (tx) => {
    const knowledgeBaseIds = await knownKnowledgeBases(tx, deps, workspaceId, { document });
    const prepared = prepareConfig(draft, { schema: deps.configSchema, knowledgeBaseIds });
    const { entries } = prepared;
    const now = deps.clock.now();
    const tools = NATIVE_TOOL_NAMES.filter((name) => entries[name].enabled).map((name) =>
      provisionNativeTool(owner, name, entries, now),
    );
    const assistant: Assistant = {
      ...owner,
      agentName: body.agent_name,
      agentType: body.agent_type,
      config: prepared.withTools(tools),
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    await deps.assistants.insert(tx, assistant);
    for (const tool of tools) await deps.tools.insert(tx, tool);
    await announceAssistants(tx, [assistant], requestId);
    return idempotency.answer(tx, toAssistantAnswer(assistant));
  });
}
