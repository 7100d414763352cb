import { traceIdOf, withParent, withSpan } from '@parley/kit/observability';
import type { Call } from './call.ts';

/**
 * Does something for a call in a span of its trace: that of the request or the message which it came by, minutes ago and
 * maybe in another process.
 */
export function inTraceOf<R>(
  { id, workspaceId, traceparent }: Call,
  name: string,
  work: () => Promise<R>,
  kind: 'client' | 'internal' = 'internal',
): Promise<R> {
  const attributes = { 'call.id': id, 'workspace.id': workspaceId };
  return withParent(traceparent ? { traceparent } : {}, () => withSpan(name, attributes, work, kind));
}

/** What every line about a call tells. */
export function logFieldsOf({ id, workspaceId, campaign, traceparent }: Call): Record<string, string> {
  const traceId = traceIdOf(traceparent);
  return {
    callId: id,
    workspaceId,
    ...(campaign ? { campaignId: campaign.campaignId } : {}),
    ...(traceId ? { traceId } : {}),
  };
}
