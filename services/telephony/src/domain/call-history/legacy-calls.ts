import type { legacyCalls as contract, QueryOf, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { isUuid } from '@parley/kit/ids';
import { toLegacyCall, toLegacyDetail } from './legacy-call.ts';
import { readLegacyQuery } from './legacy-query.ts';
import type { CallHistory } from './ports.ts';

type Deps = { history: CallHistory };

/** Both legacy routes: a page of calls, or with `callId` one of them (spec: GET /calls). */
export async function legacyCalls(
  deps: Deps,
  workspaceId: string,
  { callId, ...query }: QueryOf<typeof contract>,
): Promise<ResponseOf<typeof contract>> {
  if (callId !== undefined) return readOne(deps, workspaceId, callId);
  const page = readLegacyQuery(query);
  const { limit, offset } = page;
  // One more than is shown tells whether more follow.
  const found = await deps.history.legacyPage(workspaceId, { ...page, limit: limit + 1 });
  return {
    calls: found.slice(0, limit).map(toLegacyCall),
    pagination: { limit, offset, hasMore: found.length > limit },
  };
}

async function readOne({ history }: Deps, workspaceId: string, id: string) {
  const call = isUuid(id) ? await history.find(workspaceId, id) : undefined;
  if (!call) throw notFound('Call');
  return toLegacyDetail(call, await history.spokenTurns(workspaceId, id));
}
