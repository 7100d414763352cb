import type { BodyOf, listCalls as contract } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type Auth, agentIdsOf, type StreamedList, toListPage } from '@parley/kit/http';
import type { RecordingLinks } from '../after-call/recordings/recording-links.ts';
import type { CallHistory } from './call-history.store.ts';
import { type CallHead, toCallDetail, toCallListItem } from './call-record.ts';

type Item = ReturnType<typeof toCallListItem>;

export type GetCallDeps = {
  history: CallHistory;
  recordingLinks: Pick<RecordingLinks, 'signerFor'>;
};

export async function getCall(
  { history, recordingLinks }: GetCallDeps,
  { workspaceId, actor }: Auth,
  id: string,
): Promise<ReturnType<typeof toCallDetail>> {
  const call = await history.find(workspaceId, id);
  if (!call) throw notFound('Call');
  return toCallDetail(call, recordingLinks.signerFor(actor));
}

/** Calls that match all filters, newest first [calls.8]. */
export async function listCalls(
  { history }: { history: CallHistory },
  auth: Auth,
  { page, size, ...filters }: BodyOf<typeof contract>,
): Promise<StreamedList<Item>> {
  const slice = { limit: size, offset: (page - 1) * size };
  const visible = { ...filters, visibleAgentIds: agentIdsOf(auth) };
  const { items, total } = await history.page(auth.workspaceId, visible, slice);
  return toListPage({ page, size }, { items: toItems(items), total });
}

async function* toItems(calls: AsyncIterable<CallHead>): AsyncGenerator<Item> {
  for await (const call of calls) yield toCallListItem(call);
}
