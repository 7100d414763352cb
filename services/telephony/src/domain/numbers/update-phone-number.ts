import type { BodyOf, updatePhoneNumber as contract } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { changeNumber, type NumberChange } from './change-number.ts';
import { checkAgents, rememberAgents } from './check-agents.ts';
import { checkWebhookUrl } from './check-webhook-url.ts';
import type { NumberDeps } from './deps.ts';
import { type Provider, toPhoneNumberAnswer } from './phone-number.ts';

type Body = BodyOf<typeof contract>;
type Input = { workspaceId: string; requestId: string; id: string; body: Body };

/** Changes what was sent and nothing else (spec: PUT /v1/phone-number/{id}). */
export async function updatePhoneNumber(
  deps: NumberDeps,
  { workspaceId, requestId, id, body }: Input,
): Promise<ReturnType<typeof toPhoneNumberAnswer>> {
  const number = await deps.numbers.find(workspaceId, id);
  if (!number) throw notFound('Phone number');
  // A number's provider never changes, so this holds for the number as the transaction finds it.
  const change = toChange(body, number.provider, deps.allowCidrs);
  const agents = await checkAgents(deps, workspaceId, body);
  return deps.transact(async (tx) => {
    await rememberAgents(tx, deps.copies, workspaceId, agents, body);
    const held = await deps.numbers.lock(tx, id, workspaceId);
    const changed = await changeNumber(tx, deps, held, change, requestId);
    return toPhoneNumberAnswer(await deps.numbers.read(tx, changed));
  });
}

function toChange(body: Body, provider: Provider, allowCidrs: readonly string[]): NumberChange {
  const { inbound_agent_id: inbound, outbound_agent_id: outbound, max_cps: maxCps } = body;
  const url = body.inbound_webhook_url;
  return {
    ...(inbound === undefined ? {} : { inboundAgentId: inbound?.toLowerCase() ?? null }),
    ...(outbound === undefined ? {} : { outboundAgentId: outbound?.toLowerCase() ?? null }),
    ...(maxCps === undefined ? {} : { maxCps }),
    ...(url === undefined ? {} : { inboundWebhookUrl: checkWebhookUrl(url, provider, allowCidrs) }),
  };
}
