import { traceIdOf, withParent, withSpan } from '@parley/kit/observability';
import type { Call } from './call.ts';

/**
 * Runs work for a call in a span of its trace, which the request or message that created it began, perhaps minutes ago in
 * another process.
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

/** The fields of every log line about a call. */
export function logFieldsOf({ id, workspaceId, campaign, traceparent }: Call): Record<string, string> {
  const traceId = traceIdOf(traceparent);
  return {
    callId: id,
    workspaceId,
    ...(campaign ? { campaignId: campaign.campaignId } : {}),
    ...(traceId ? { traceId } : {}),
  };
}
