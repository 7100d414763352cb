import { type AppError, notFound, validationFailed } from '@parley/kit/errors';
import { type FindAgentsDeps, findAgents } from '../agents/find-agents.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { AssistantBrief } from '../ports.ts';

/** The assistant of a call: the one that was asked for (404), or the number's own for outbound calls (422) (D6.1). */
export async function chooseAgent(
  deps: FindAgentsDeps,
  number: PhoneNumber,
  askedFor: string | undefined,
): Promise<AssistantBrief> {
  const agentId = askedFor?.toLowerCase() ?? number.outboundAgentId;
  if (agentId === null) throw noAgent();
  const agent = (await findAgents(deps, number.workspaceId, [agentId])).get(agentId);
  if (agent) return agent;
  throw agentMissing(askedFor);
}

/** What is answered when the assistant isn't there, or was deleted a moment ago. */
export function agentMissing(askedFor: string | undefined): AppError {
  return askedFor === undefined ? noAgent() : notFound('Assistant');
}

function noAgent(): AppError {
  const message = 'agent_id is required: the number has no assistant for outbound calls';
  return validationFailed([{ path: 'agent_id', code: 'required', message }]);
}
