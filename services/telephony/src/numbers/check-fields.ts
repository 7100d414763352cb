import type { ErrorDetail } from '@parley/contracts';
import { validationFailed } from '@parley/kit/errors';
import { checkUrlSyntax, type OutboundAllowance } from '@parley/kit/outbound';
import { type FindAgentsDeps, findAgents } from '../assistants/find-agents.ts';
import type { AgentCopies } from '../assistants/ports.ts';
import type { AssistantBrief } from '../clients/ports.ts';
import type { Tx } from '../prisma.ts';
import type { Provider } from './phone-number.ts';

export type AgentFields = {
  inbound_agent_id?: string | null | undefined;
  outbound_agent_id?: string | null | undefined;
};

const AGENT_FIELDS = ['inbound_agent_id', 'outbound_agent_id'] as const;
const WEBHOOK_FIELD = 'inbound_webhook_url';

/** The assistants that the fields name; 422 for one of another workspace [numbers.8]. */
export async function checkAgents(
  deps: FindAgentsDeps,
  workspaceId: string,
  fields: AgentFields,
): Promise<AssistantBrief[]> {
  const named = AGENT_FIELDS.flatMap((path) => {
    const id = fields[path]?.toLowerCase();
    return id ? [{ path, id }] : [];
  });
  if (named.length === 0) return [];
  const ids = named.map(({ id }) => id);
  const found = await findAgents(deps, workspaceId, ids);
  const unknown = named.filter(({ id }) => !found.has(id));
  if (unknown.length > 0) throw validationFailed(unknown.map(({ path }) => unknownAgent(path)));
  return [...found.values()];
}

/** Stores copies of the assistants; 422 for one that was deleted since `checkAgents`. */
export async function rememberAgents(
  tx: Tx,
  copies: AgentCopies,
  workspaceId: string,
  agents: readonly AssistantBrief[],
  fields: AgentFields,
): Promise<void> {
  for (const agent of [...agents].sort((a, b) => (a.agentId < b.agentId ? -1 : 1))) {
    if (await copies.remember(tx, workspaceId, agent)) continue;
    const deleted = AGENT_FIELDS.filter((path) => fields[path]?.toLowerCase() === agent.agentId);
    throw validationFailed(deleted.map(unknownAgent));
  }
}

function unknownAgent(path: string): ErrorDetail {
  return { path, code: 'unknown_id', message: `${path} must be an assistant of this workspace` };
}

/** The inbound webhook to store: null, or an https URL of a SIP number; http where the operator allows the address [numbers.7]. */
export function checkWebhookUrl(
  url: string | null | undefined,
  provider: Provider,
  allowed: OutboundAllowance,
): string | null {
  if (!url) return null;
  if (provider !== 'hosted_sip') {
    const message = `${WEBHOOK_FIELD} is only available for numbers that are connected by a SIP trunk`;
    throw validationFailed([{ path: WEBHOOK_FIELD, code: 'not_allowed', message }]);
  }
  const problem = checkUrlSyntax(url, { ...allowed, allowHttp: false });
  if (problem === undefined) return url;
  const message = `${WEBHOOK_FIELD} ${problem}`;
  throw validationFailed([{ path: WEBHOOK_FIELD, code: 'invalid_format', message }]);
}
