import { notFound } from '@parley/kit/errors';
import { toCallDetail } from './call-record.ts';
import type { CallHistory, LinkSigner } from './ports.ts';

export type GetCallDeps = { history: CallHistory; recordingLinks: LinkSigner };

export async function getCall(
  { history, recordingLinks }: GetCallDeps,
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toCallDetail>> {
  const call = await history.find(workspaceId, id);
  if (!call) throw notFound('Call');
  return toCallDetail(call, recordingLinks);
}
