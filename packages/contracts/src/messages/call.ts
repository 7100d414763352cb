import { z } from 'zod';
import { callType, disconnectionReason } from '../shapes/call.ts';
import { toolExecution, turn } from '../shapes/conversation.ts';
import { isoMillis, jsonObject, uuid } from '../shapes/primitives.ts';

/** Common fields of messages about a call. Numbers are null for web calls. */
const callFacts = z.object({
  call_id: uuid,
  call_type: callType,
  from_number: z.string().nullable(),
  to_number: z.string().nullable(),
  dynamic_variables: jsonObject,
  /** The assistant at the time of the call; `version` shows whether a copy of the URL is older. */
  agent: z.object({ agent_id: uuid, version: z.int(), webhook_url: z.string().nullable() }),
  /** Set for a campaign's call. */
  campaign: z.object({ campaign_id: uuid, contact_id: uuid }).nullable(),
});

/** A campaign's call is being dialed. */
export const callDialing = z.object({
  call_id: uuid,
  campaign: z.object({ campaign_id: uuid, contact_id: uuid }),
});

/** The call was answered. */
export const callStarted = callFacts.extend({ started_at: isoMillis, answered_at: isoMillis });

/** The call ended, answered or not [calls.7]. */
export const callEnded = callFacts.extend({
  started_at: isoMillis,
  answered_at: isoMillis.nullable(),
  ended_at: isoMillis,
  /** Talk time in whole seconds, rounded up; 0 if never answered [general.5]. */
  duration: z.int(),
  /** Cents. */
  cost: z.int(),
  disconnection_reason: disconnectionReason,
  /** Whether a retry makes sense: no answer, busy, voicemail, a transient failure [campaigns.12]. */
  retryable: z.boolean(),
  /** The assistant left its voicemail message [campaigns.13]. */
  voicemail_message_left: z.boolean(),
  /** The number was put on the do-not-call list while the call was queued, so it was not dialed [calls.3]. */
  do_not_call: z.boolean().optional(),
  /** The attempt does not count: the call was withdrawn, or its workspace was suspended before the answer [campaigns.20]. */
  withdrawn: z.boolean().optional(),
});

/**
 * An entry of the tool log. In large messages each result is sent once: `turn` is then the index in `transcript` of the turn
 * with the result, and `result` is absent.
 */
const loggedTool = toolExecution.extend({
  result: z.unknown().optional(),
  turn: z.int().optional(),
});

/** Transcript, summary and analysis are available, or have failed for good [calls.13]. */
export const callAnalyzed = callEnded.extend({
  /** 1, incremented by each transcript fix [calls.14]; each edition is an event of its own. */
  edition: z.int(),
  call_sid: z.string().nullable(),
  recording_url: z.string().nullable(),
  recording_sid: z.string().nullable(),
  created_at: isoMillis,
  updated_at: isoMillis,
  transcript: z.array(turn),
  summary: z.string().nullable(),
  analysis_data: jsonObject.nullable(),
  tools: z.array(loggedTool),
});
