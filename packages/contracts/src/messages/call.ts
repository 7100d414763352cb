import { z } from 'zod';
import { callType, disconnectionReason } from '../shapes/call.ts';
import { toolExecution, turn } from '../shapes/conversation.ts';
import { isoMillis, jsonObject, uuid } from '../shapes/primitives.ts';

/** What every message about a call tells. Numbers are null for web calls (D6.2). */
const callFacts = z.object({
  call_id: uuid,
  call_type: callType,
  from_number: z.string().nullable(),
  to_number: z.string().nullable(),
  dynamic_variables: jsonObject,
  /** The assistant as the call knew it; its version decides whether a copy of the URL is older. */
  agent: z.object({ agent_id: uuid, version: z.int(), webhook_url: z.string().nullable() }),
  /** Set for a campaign's call. */
  campaign: z.object({ campaign_id: uuid, contact_id: uuid }).nullable(),
});

/** A campaign's call left for the carrier. */
export const callDialing = z.object({
  call_id: uuid,
  campaign: z.object({ campaign_id: uuid, contact_id: uuid }),
});

/** The call was answered. */
export const callStarted = callFacts.extend({ started_at: isoMillis, answered_at: isoMillis });

/** The call is over, answered or not (D6.5). */
export const callEnded = callFacts.extend({
  started_at: isoMillis,
  answered_at: isoMillis.nullable(),
  ended_at: isoMillis,
  /** Talk time in whole seconds, rounded up; 0 if never answered (D1.10). */
  duration: z.int(),
  /** Cents. */
  cost: z.int(),
  disconnection_reason: disconnectionReason,
  /** Whether another attempt may help: no answer, busy, voicemail, a transient failure (spec: max_retries). */
  retryable: z.boolean(),
  /** The assistant left its voicemail message (D7.3). */
  voicemail_message_left: z.boolean(),
  /** The number was put on the do-not-call list after the grant: the call ended without a dial (D6.10). */
  do_not_call: z.boolean().optional(),
  /** Its campaign was paused or cancelled after the grant: the call ended without a dial, and the contact waits as before (D7.1). */
  withdrawn: z.boolean().optional(),
});

/** Transcript, summary and analysis are there, or were given up (D6.7). */
export const callAnalyzed = callEnded.extend({
  /** 1, and one more for each transcript fix (D6.8): another edition is another event. */
  edition: z.int(),
  call_sid: z.string().nullable(),
  recording_url: z.string().nullable(),
  recording_sid: z.string().nullable(),
  created_at: isoMillis,
  updated_at: isoMillis,
  transcript: z.array(turn),
  summary: z.string().nullable(),
  analysis_data: jsonObject.nullable(),
  tools: z.array(toolExecution),
});
