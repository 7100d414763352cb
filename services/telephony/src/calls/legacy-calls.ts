import {
  CALL_STATUSES,
  CALL_TYPES,
  type legacyCalls as contract,
  type QueryOf,
  type ResponseOf,
} from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type Auth, agentIdsOf, mayUseAgent } from '@parley/kit/http';
import { isUuid } from '@parley/kit/ids';
import { toIsoMillis } from '@parley/kit/time';
import type { LegacyPage } from './call-filters.store.ts';
import type { CallHistory } from './call-history.store.ts';
import { toLegacyCall, toLegacyDetail } from './legacy-call.ts';

type Deps = { history: CallHistory };

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** The largest integer of Postgres. */
const MAX_OFFSET = 2_147_483_647;

/** The legacy route [calls.10]: a page of calls, or with `callId` one call. */
export async function legacyCalls(
  deps: Deps,
  auth: Auth,
  { callId, ...query }: QueryOf<typeof contract>,
): Promise<ResponseOf<typeof contract>> {
  if (callId !== undefined) return readOne(deps, auth, callId);
  const page = readLegacyQuery(query);
  const { limit, offset } = page;
  const found = await deps.history.legacyPage(auth.workspaceId, {
    ...page,
    // One more than requested shows whether more follow.
    limit: limit + 1,
    visibleAgentIds: agentIdsOf(auth),
  });
  return {
    calls: found.slice(0, limit).map(toLegacyCall),
    pagination: { limit, offset, hasMore: found.length > limit },
  };
}

async function readOne({ history }: Deps, auth: Auth, id: string) {
  const { workspaceId } = auth;
  const call = isUuid(id) ? await history.find(workspaceId, id) : undefined;
  if (!call || !mayUseAgent(auth, call.agent_id)) throw notFound('Call');
  const turns = await history.spokenTurns(workspaceId, id);
  return toLegacyDetail(
    call,
    turns.map(({ role, content, at }) => ({ role, content, timestamp: toIsoMillis(at) })),
  );
}

export type LegacyQuery = {
  limit?: string | undefined;
  offset?: string | undefined;
  status?: string | undefined;
  callType?: string | undefined;
};

/** Numbers are clamped to their range [general.10]; anything unreadable is the default, an unknown status or type no filter. */
export function readLegacyQuery({ limit, offset, status, callType }: LegacyQuery): LegacyPage {
  return {
    limit: clamped(limit, 1, MAX_LIMIT, DEFAULT_LIMIT),
    offset: clamped(offset, 0, MAX_OFFSET, 0),
    status: CALL_STATUSES.find((known) => known === status) ?? null,
    callType: CALL_TYPES.find((known) => known === callType) ?? null,
  };
}

function clamped(text: string | undefined, min: number, max: number, fallback: number): number {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(value) ? fallback : Math.min(Math.max(Math.trunc(value), min), max);
}
