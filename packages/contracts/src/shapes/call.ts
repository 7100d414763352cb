import { z } from 'zod';
import { isoMillis, jsonObject, uuid } from './primitives.ts';

export const CALL_TYPES = ['inbound', 'outbound', 'web'] as const;
export const callType = z.enum(CALL_TYPES);

export const CALL_STATUSES = ['queued', 'ringing', 'in-progress', 'completed'] as const;
/** D6.3: nothing leaves `completed`; the outcome is the disconnection reason, never the status. */
export const callStatus = z.enum(CALL_STATUSES);

/** How a call ended, as v2 stores it (D6.4). */
export const DISCONNECTION_REASONS = [
  'user_hangup',
  'agent_hangup',
  'completed',
  'timeout',
  'voicemail',
  'dial_no_answer',
  'dial_busy',
  'dial_failed',
  'call_transfer',
  'call_rejected',
  'error',
  'error_user_not_joined',
] as const;
export const disconnectionReason = z.enum(DISCONNECTION_REASONS);
export type DisconnectionReason = z.output<typeof disconnectionReason>;
export type CallStatus = z.output<typeof callStatus>;
export type CallType = z.output<typeof callType>;

/** Call (v2 list item). */
export const callListItem = z
  .object({
    id: uuid.describe('The call. Its webhooks carry it as `call_id`'),
    workspace_id: uuid.describe('The workspace that it belongs to'),
    agent_id: uuid.describe('All zeros for a call that came in and that no assistant was there for'),
    agent_name: z.string().nullable().describe('Of the assistant; null once it is deleted'),
    call_type: callType.describe('Which way it went: the human called, was called, or joined by the browser'),
    from_number: z.string().nullable().describe('E.164; null for web calls'),
    to_number: z.string().nullable().describe('E.164; null for web calls'),
    status: callStatus.describe(
      'Goes forward only; the outcome of a `completed` call is its `disconnection_reason`',
    ),
    duration: z.int().nullable().describe('Talk time in seconds; null before the end'),
    cost: z.int().nullable().describe('Cents; null before the end'),
    started_at: isoMillis.nullable().describe('When the dial left, or the call came in; null before'),
    answered_at: isoMillis
      .nullable()
      .describe('When the line was picked up; null for a call that was not answered'),
    ended_at: isoMillis.nullable().describe('When it was over; null before the end'),
    disconnection_reason: disconnectionReason
      .nullable()
      .describe('How it ended; null before the end. Values may be added'),
    created_at: isoMillis.describe('When the call was asked for'),
    updated_at: isoMillis.describe('Last change'),
  })
  .meta({ id: 'CallListItem', description: 'A call as lists show it' });

/** Call (v2 single read). */
export const callDetail = callListItem
  .extend({
    phone_number_id: uuid
      .nullable()
      .describe(
        'The number of the workspace that it went over; null for web calls and once the number is deleted',
      ),
    call_sid: z
      .string()
      .nullable()
      .describe("The carrier's own name of the call; null for web calls and before the dial"),
    recording_url: z
      .string()
      .nullable()
      .describe('A signed link to the recording, good for an hour from this read; null where there is none'),
    recording_sid: z.string().nullable().describe('Names the recording; null where there is none'),
    summary: z
      .string()
      .nullable()
      .describe('Of the conversation; null before the analysis, and where the call never connected'),
    transcript: z
      .string()
      .nullable()
      .describe('The conversation as text, a line each; null before the analysis'),
    enhanced_transcript: z
      .string()
      .nullable()
      .describe(
        'Made from the recording when the transcript was fixed: better than `transcript`, where there is one',
      ),
    transcript_json: z
      .object({
        conversation: z
          .array(
            z.object({
              role: z.string().describe('`user` or `agent`'),
              content: z.string().describe('What was said'),
            }),
          )
          .describe('In order'),
      })
      .nullable()
      .describe('The transcript turn by turn; null before the analysis'),
    transcript_fix_count: z.int().describe('How many of the five transcript fixes it has used'),
    analysis_data: jsonObject
      .nullable()
      .describe(
        "By the names of the assistant's analysis fields; null before the analysis, where it is off, and where nothing could be extracted",
      ),
    dynamic_variables: jsonObject.describe(
      'What was passed when the call was placed; fills `{{placeholders}}`',
    ),
    metadata: jsonObject.describe('Yours: returned as it was sent'),
    campaign_id: uuid.nullable().describe('The campaign that placed it; null for any other call'),
    unresolved_placeholders: z
      .array(z.string())
      .describe('Names of `{{placeholders}}` that nothing filled: they read as empty text'),
  })
  .meta({ id: 'Call', description: 'A call' });

/** How a call ended, as the legacy routes tell it (D6.4). */
export const legacyReason = z.enum(['user_hangup', 'agent_hangup', 'completed', 'timeout', 'error']);

/** Call (legacy, unversioned routes). */
export const legacyCall = z
  .object({
    id: uuid.describe('The call'),
    call_sid: z
      .string()
      .nullable()
      .describe(
        "The carrier's own name of the call; of a SIP call its room; null for web calls and before the dial",
      ),
    call_type: callType.describe('Which way it went'),
    from_number: z.string().nullable().describe('E.164; null for web calls'),
    to_number: z.string().nullable().describe('E.164; null for web calls'),
    status: callStatus.describe('Goes forward only'),
    duration: z.int().optional().describe('Seconds; present after the call ends'),
    disconnection_reason: legacyReason
      .nullable()
      .describe('How it ended, in the words of version 1; null before the end'),
    started_at: isoMillis.nullable().describe('When the dial left, or the call came in; null before'),
    ended_at: isoMillis.nullable().describe('When it was over; null before the end'),
    created_at: isoMillis.describe('When the call was asked for'),
    agent_id: uuid.describe('The assistant'),
    phone_number_id: z
      .string()
      .nullable()
      .describe('The number of the workspace that it went over; null for web calls'),
    summary: z.string().nullable().describe('Of the conversation; null before the analysis'),
    analysis_data: jsonObject
      .nullable()
      .describe("By the names of the assistant's analysis fields; null where there is nothing"),
  })
  .meta({ id: 'LegacyCall', description: 'A call as version 1 tells it' });

/** The legacy single read: the legacy call and what else is known. */
export const legacyCallDetail = legacyCall
  .extend({
    transcript: z.string().nullable().describe('Plain text with speaker labels and timestamps'),
    enhanced_transcript: z
      .string()
      .nullable()
      .describe('The transcript rebuilt from the recording; null until it is asked for'),
    dynamic_variables: jsonObject.describe('What was passed when the call was placed'),
    agents: z
      .object({ agent_name: z.string().nullable().describe('Null once it is deleted') })
      .nullable()
      .describe('The assistant'),
    phone_numbers: z
      .object({
        phone_number: z.string().describe('E.164'),
        friendly_name: z.string().nullable().describe('Its nickname'),
      })
      .nullable()
      .describe('The number of the workspace'),
  })
  .meta({ id: 'LegacyCallDetail', description: 'A call as version 1 tells it, with its transcript' });
