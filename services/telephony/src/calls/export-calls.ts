import { callListItem, type exportCalls as contract, type QueryOf } from '@parley/contracts';
import { toCsv, withoutFormula } from '@parley/kit/csv';
import { type Auth, agentIdsOf } from '@parley/kit/http';
import type { CallHistory, ExportedCall } from './call-history.store.ts';
import { toCallListItem } from './call-record.ts';

export type ExportDeps = { history: Pick<CallHistory, 'every'> };

const COLUMNS = [...Object.keys(callListItem.shape), 'campaign_id', 'summary'];
const PHONE_NUMBER = /^\+\d+$/;

/** All matching calls as CSV, read no faster than the client receives them [analytics.12]. */
export async function* exportCalls(
  { history }: ExportDeps,
  auth: Auth,
  filters: QueryOf<typeof contract>,
): AsyncGenerator<string> {
  yield toCsv(COLUMNS, [], true);
  const visible = { ...filters, visibleAgentIds: agentIdsOf(auth) };
  for await (const calls of history.every(auth.workspaceId, visible)) {
    if (calls.length > 0) yield toCsv(COLUMNS, calls.map(toRow));
  }
}

/** Names, summaries and the numbers of callers may come from anyone. */
function toRow(call: ExportedCall) {
  return {
    ...toCallListItem(call),
    campaign_id: call.campaign_id,
    agent_name: safe(call.agent_name),
    from_number: safe(call.from_number),
    to_number: safe(call.to_number),
    summary: safe(call.summary),
  };
}

function safe(text: string | null): string | null {
  return text === null || PHONE_NUMBER.test(text) ? text : withoutFormula(text);
}
