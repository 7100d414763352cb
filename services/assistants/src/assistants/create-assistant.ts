import { type BodyOf, type createAssistant as contract, NATIVE_TOOL_NAMES } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import { assistantSecretPlace, changeWebhookSecret } from '../secrets/webhook-secret.ts';
import { provisionNativeTool } from '../tools/native-tool.ts';
import type { CreateRequest } from '../transact.ts';
import { type Assistant, toAssistantResponse, WEBHOOK_URL_FIELD } from './assistant.ts';
import { announceAssistants, recordWebhookSecret } from './change-assistant.ts';
import { mergeNativeEntries, NATIVE_DEFAULTS } from './config/native-entries.ts';
import { prepareConfig } from './config/prepare-config.ts';
import { knownKnowledgeBases } from './known-knowledge-bases.ts';
import type { AssistantDeps } from './lock-assistant.ts';

/**
 * Creates an assistant with a completed configuration and its enabled native tools: `end_call` by default [assistants.1].
 */
export async function createAssistant(
  deps: AssistantDeps,
  { workspaceId, requestId, by, idempotency }: CreateRequest,
  body: BodyOf<typeof contract>,
): Promise<ReturnType<typeof toAssistantResponse>> {
  const { nativeTools, ...document } = body.config;
  const draft = { document, entries: mergeNativeEntries(NATIVE_DEFAULTS, nativeTools) };
  const owner = { id: newId(), workspaceId };
  return deps.transact(async (tx) => {
    const knowledgeBaseIds = await knownKnowledgeBases(tx, deps, workspaceId, { document });
    const prepared = prepareConfig(draft, {
      schema: deps.configSchema,
      defaultVoiceId: deps.catalogue.defaultVoiceId,
      knowledgeBaseIds,
    });
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
      sealedWebhookSecret: changeWebhookSecret(deps.secrets, {
        sealed: null,
        place: assistantSecretPlace(owner.id),
        sent: body.webhook_secret,
        moves: false,
        urlField: WEBHOOK_URL_FIELD,
        now,
      }),
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    await deps.assistants.insert(tx, assistant);
    for (const tool of tools) await deps.tools.insert(tx, tool);
    await recordWebhookSecret(tx, by, null, assistant);
    await announceAssistants(tx, [assistant], requestId);
    return idempotency.answer(tx, toAssistantResponse(assistant));
  });
}
