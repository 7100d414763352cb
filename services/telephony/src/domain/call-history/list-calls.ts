import type { BodyOf, listCalls as contract } from '@parley/contracts';
import { type ListAnswer, toListPage } from '@parley/kit/http';
import { toCallListItem } from './call-record.ts';
import type { CallHistory } from './ports.ts';

/** Calls that match all filters, newest first (spec: POST /v2/call/list). */
export async function listCalls(
  { history }: { history: CallHistory },
  workspaceId: string,
  { page, size, ...filters }: BodyOf<typeof contract>,
): Promise<ListAnswer<ReturnType<typeof toCallListItem>>> {
  const slice = { limit: size, offset: (page - 1) * size };
  const { items, total } = await history.page(workspaceId, filters, slice);
  return toListPage({ page, size }, { items: items.map(toCallListItem), total });
}
