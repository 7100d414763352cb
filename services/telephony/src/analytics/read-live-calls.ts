import type { getConcurrency, listLiveCalls as listContract, QueryOf, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type Auth, agentIdsOf, type ListPage, toOffsetPage } from '@parley/kit/http';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { WorkspaceSettings } from '../clients/ports.ts';
import type { LiveCall, LiveCalls } from './live-calls.store.ts';

export type LiveCallDeps = { liveCalls: LiveCalls; settings: WorkspaceSettings; clock: Clock };

/** `GET /v2/call/live`. */
export async function listLiveCalls(
  { liveCalls, clock }: LiveCallDeps,
  auth: Auth,
  { limit, offset, ...query }: QueryOf<typeof listContract>,
): Promise<ListPage<ResponseOf<typeof listContract>>> {
  const filters = { ...query, visibleAgentIds: agentIdsOf(auth) };
  const { items, total } = await liveCalls.page(auth.workspaceId, filters, { limit, offset });
  const now = clock.now();
  return toOffsetPage({ offset }, { items: items.map((call) => toItem(call, now)), total });
}

/** `GET /v1/concurrency`. */
export async function readConcurrency(
  { liveCalls, settings }: LiveCallDeps,
  { workspaceId }: Auth,
): Promise<ResponseOf<typeof getConcurrency>> {
  const limits = await settings.get(workspaceId);
  if (!limits) throw notFound('Workspace');
  const counts = await liveCalls.countByStatus(workspaceId);
  const by_status = {
    queued: counts.get('queued') ?? 0,
    ringing: counts.get('ringing') ?? 0,
    'in-progress': counts.get('in-progress') ?? 0,
  };
  const live = by_status.queued + by_status.ringing + by_status['in-progress'];
  return { live, limit: limits.maxLiveCalls, by_status };
}

function toItem({ created_at, started_at, answered_at, ...call }: LiveCall, now: Date) {
  const talkedMs = answered_at && now.getTime() - answered_at.getTime();
  return {
    ...call,
    created_at: toIsoMillis(created_at),
    started_at: started_at && toIsoMillis(started_at),
    answered_at: answered_at && toIsoMillis(answered_at),
    duration: talkedMs === null ? null : Math.max(0, Math.floor(talkedMs / 1_000)),
  };
}
