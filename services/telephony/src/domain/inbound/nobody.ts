import type { AssistantSnapshot } from '@parley/contracts';
import type { Call } from '../calls/call.ts';
import { type PreparedAssistant, prepareAssistant } from '../conversation/prepare-prompt.ts';

/** What `agent_id` reads on a call that no assistant was there for: one that never exists. */
export const NO_AGENT = '00000000-0000-0000-0000-000000000000';

/** Stands where an assistant is to come, or where none is to be found. */
export function nobody({ agentId, agentVersion: version }: Call): PreparedAssistant {
  const snapshot: AssistantSnapshot = {
    agent_id: agentId,
    version,
    agent_name: '',
    webhook_url: null,
    agent_type: '',
    config: {},
    tools: [],
  };
  return prepareAssistant(snapshot, {});
}

/** A call that came in, or that somebody joined, and whose assistant isn't there yet. */
export function isUndecided({ callType, agentVersion, state }: Call): boolean {
  return callType !== 'outbound' && state.phase === 'ringing' && agentVersion === 0;
}
