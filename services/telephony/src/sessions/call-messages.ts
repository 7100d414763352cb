import type { MessageData } from '@parley/contracts';
import type { NewMessage } from '@parley/kit/outbox';
import { toIsoMillis } from '@parley/kit/time';
import type { Call, CallState } from './call.ts';
import type { Change } from './ports.ts';

const iso = (at: Date | null): string | null => at && toIsoMillis(at);

/** The fields of every message about a call. */
function callFacts(call: Call) {
  return {
    call_id: call.id,
    call_type: call.callType,
    from_number: call.fromNumber,
    to_number: call.toNumber,
    dynamic_variables: call.dynamicVariables,
    agent: { agent_id: call.agentId, version: call.agentVersion, webhook_url: call.agentWebhookUrl },
    campaign: call.campaign && {
      campaign_id: call.campaign.campaignId,
      contact_id: call.campaign.contactId,
    },
  };
}

/** `call.started`: the call was answered. */
function toStarted(call: Call, { startedAt, answeredAt }: CallState): MessageData<'call.started'> {
  const answered = toIsoMillis(answeredAt ?? call.createdAt);
  return { ...callFacts(call), started_at: iso(startedAt) ?? answered, answered_at: answered };
}

/**
 * `call.ended`, also used as the dial state of an ended call. `cause`: the cause on its timeline; campaigns need the causes
 * without a dial.
 */
export function toEnded(call: Call, state: CallState, cause: unknown = null): MessageData<'call.ended'> {
  const endedAt = state.endedAt ?? call.createdAt;
  return {
    ...callFacts(call),
    started_at: toIsoMillis(state.startedAt ?? endedAt),
    answered_at: iso(state.answeredAt),
    ended_at: toIsoMillis(endedAt),
    duration: state.duration ?? 0,
    cost: state.cost ?? 0,
    disconnection_reason: state.reason ?? 'error',
    retryable: state.retryable,
    voicemail_message_left: state.voicemailMessageLeft,
    ...(cause === 'do_not_call' ? { do_not_call: true } : {}),
    ...(call.campaign && usesNoAttempt(state, cause) ? { withdrawn: true } : {}),
  };
}

/** Suspending a workspace uses no attempt of a contact who had not answered yet [campaigns.20]. */
function usesNoAttempt({ answeredAt }: CallState, cause: unknown): boolean {
  return cause === 'withdrawn' || (cause === 'workspace_suspended' && answeredAt === null);
}

/** The messages that a change publishes, in order. */
export function eventMessages(call: Call, { state, events, timeline }: Change): NewMessage[] {
  // Changes of many calls are saved together: each message belongs to the trace of its own call.
  const traceparent = call.traceparent ?? null;
  return events.map((item): NewMessage => {
    if (item === 'started') {
      const occurredAt = state.answeredAt ?? call.createdAt;
      return {
        type: 'call.started',
        workspaceId: call.workspaceId,
        occurredAt,
        traceparent,
        data: toStarted(call, state),
      };
    }
    const occurredAt = state.endedAt ?? call.createdAt;
    const causes = timeline.flatMap((it) => (it.type === 'ended' ? [it.detail.cause] : []));
    const data = toEnded(call, state, causes[0]);
    return { type: 'call.ended', workspaceId: call.workspaceId, occurredAt, traceparent, data };
  });
}
