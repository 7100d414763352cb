import { recordSpan, traceIdOf, withParent, withSpan } from '@parley/kit/observability';
import type { Call } from './call.ts';
import type { TurnLatency } from './ports.ts';

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

/** Adds an answer by voice to the trace of its call: from the end of the human's speech to its first sound [calls.21]. */
export function traceAnswer(
  { id, workspaceId, traceparent }: Pick<Call, 'id' | 'workspaceId' | 'traceparent'>,
  { endOfTurnMs, firstTokenMs, firstAudioMs }: TurnLatency,
  { nowMs, providers }: { nowMs: number; providers: Readonly<Record<string, string>> },
): void {
  const fromMs = nowMs - firstAudioMs;
  const attributes = { 'call.id': id, 'workspace.id': workspaceId, ...providers };
  withParent(traceparent ? { traceparent } : {}, () =>
    recordSpan('answer', attributes, {
      fromMs,
      toMs: nowMs,
      steps: { end_of_turn: fromMs + endOfTurnMs, first_token: fromMs + firstTokenMs },
    }),
  );
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
