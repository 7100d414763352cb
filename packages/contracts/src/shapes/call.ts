import { z } from 'zod';
import { spokenDetails } from './conversation.ts';
import { callObject, isoMillis, jsonObject, OPEN_ENUM, uuid } from './primitives.ts';

export const CALL_TYPES = ['inbound', 'outbound', 'web'] as const;
export const callType = z.enum(CALL_TYPES);
export const describedCallType = callType.describe(
  '`inbound`: the human called; `outbound`: the assistant called; `web`: from a browser',
);

export const callNumbers = {
  from_number: z.string().nullable().describe('E.164; null for web calls'),
  to_number: z.string().nullable().describe('E.164; null for web calls'),
};

export const CALL_STATUSES = ['queued', 'ringing', 'in-progress', 'completed'] as const;
/** `completed` is final; the outcome is the disconnection reason, never the status [calls.4]. */
export const callStatus = z.enum(CALL_STATUSES);

/** How a call ended, as stored and returned by v2 [calls.5]. Append only: analytics store counts by position. */
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

/** The client's data of a new call. */
export const callData = {
  dynamic_variables: callObject
    .optional()
    .describe("Values for `{{placeholders}}` in the assistant's prompt and messages; at most 16 KiB as JSON"),
  dynamicVariables: callObject.optional().meta({
    deprecated: true,
    description: 'Alias of `dynamic_variables` from version 1, ignored beside it',
  }),
  metadata: callObject
    .default({})
    .describe('Your own data, stored with the call and returned unchanged; at most 16 KiB as JSON'),
};

/** Call (v2 list item). */
export const callListItem = z
  .object({
    id: uuid.describe('Id of the call; `call_id` of its webhook events'),
    workspace_id: uuid.describe('Workspace of the call'),
    agent_id: uuid.describe('Assistant of the call; all zeros for an inbound call without an assistant'),
    agent_name: z.string().nullable().describe('Name of the assistant; null if it was deleted'),
    call_type: describedCallType,
    ...callNumbers,
    status: callStatus.describe(
      'Advances in this order; the outcome of a `completed` call is its `disconnection_reason`',
    ),
    duration: z.int().nullable().describe('Talk time in seconds, rounded up; null until the call ends'),
    cost: z.int().nullable().describe('Cost in cents; null until the call ends'),
    started_at: isoMillis
      .nullable()
      .describe('Time at which dialing started or the inbound call arrived; null before'),
    answered_at: isoMillis.nullable().describe('Time of the answer; null if the call was not answered'),
    ended_at: isoMillis.nullable().describe('Time of the end; null before'),
    disconnection_reason: disconnectionReason
      .meta(OPEN_ENUM)
      .nullable()
      .describe(
        'Why the call ended; null until it ends. Values may be added. Webhook events report `dial_no_answer` as ' +
          '`no_answer`',
      ),
    created_at: isoMillis.describe('Time of creation'),
    updated_at: isoMillis.describe('Time of the last change'),
  })
  .meta({ id: 'CallListItem', description: 'A call in a list' });

/** Call (v2 single read). */
export const callDetail = callListItem
  .extend({
    phone_number_id: uuid
      .nullable()
      .describe(
        "The workspace's phone number of this call; null for web calls and if the number was deleted",
      ),
    call_sid: z
      .string()
      .nullable()
      .describe("The carrier's id of the call; null for web calls and before it is dialed"),
    recording_url: z
      .string()
      .meta({ format: 'uri' })
      .nullable()
      .describe('Signed link to the recording, valid for one hour; null if there is no recording'),
    recording_sid: z.string().nullable().describe('Id of the recording; null if there is none'),
    summary: z
      .string()
      .nullable()
      .describe('Summary of the conversation; null before the analysis, and if the call never connected'),
    transcript: z
      .string()
      .nullable()
      .describe('The conversation as text, one line per turn; null before the analysis'),
    enhanced_transcript: z
      .string()
      .nullable()
      .describe('Improved transcript, rebuilt from the recording by a transcript fix; null if there is none'),
    transcript_json: z
      .object({
        conversation: z
          .array(
            z.object({
              role: z.string().describe('`user` or `agent`'),
              content: z.string().describe('Text'),
              ...spokenDetails,
            }),
          )
          .describe('In order'),
      })
      .nullable()
      .describe('The transcript, turn by turn; null before the analysis'),
    transcript_fix_count: z.int().describe('Number of transcript fixes used, of five'),
    analysis_data: jsonObject
      .nullable()
      .describe(
        'Extracted values by analysis field; null before the analysis, if it is disabled, and if nothing could be ' +
          'extracted',
      ),
    dynamic_variables: jsonObject.describe('Values passed on creation for `{{placeholders}}`'),
    metadata: jsonObject.describe('Your own data, as sent on creation'),
    campaign_id: uuid.nullable().describe('The campaign of the call; null for other calls'),
    unresolved_placeholders: z
      .array(z.string())
      .describe('The first 100 `{{placeholders}}` without a value; they were replaced by empty text'),
  })
  .meta({ id: 'Call', description: 'A call' });

/** How a call ended, in the values of the legacy routes [calls.6]. */
export const legacyReason = z.enum(['user_hangup', 'agent_hangup', 'completed', 'timeout', 'error']);

/** Call (legacy, unversioned routes). */
export const legacyCall = z
  .object({
    id: uuid.describe('The call'),
    call_sid: z
      .string()
      .nullable()
      .describe(
        "The carrier's id of the call; for SIP calls `call-` and the call's id; null for web calls and before it is dialed",
      ),
    call_type: callType.describe('Direction of the call'),
    ...callNumbers,
    status: callStatus.describe('Advances in this order'),
    duration: z.int().optional().describe('Talk time in seconds; present once the call has ended'),
    disconnection_reason: legacyReason
      .nullable()
      .describe('Why the call ended, in the values of version 1; null before the end'),
    started_at: isoMillis
      .nullable()
      .describe('Time at which dialing started or the inbound call arrived; null before'),
    ended_at: isoMillis.nullable().describe('Time of the end; null before'),
    created_at: isoMillis.describe('Time of creation'),
    agent_id: uuid.describe('The assistant'),
    phone_number_id: z
      .string()
      .nullable()
      .describe("The workspace's phone number of this call; null for web calls"),
    summary: z.string().nullable().describe('Summary of the conversation; null before the analysis'),
    analysis_data: jsonObject
      .nullable()
      .describe('Extracted values by analysis field; null if there are none'),
  })
  .meta({ id: 'LegacyCall', description: 'A call in the format of version 1' });

/** The legacy call with additional fields, for reading one. */
export const legacyCallDetail = legacyCall
  .extend({
    transcript: z.string().nullable().describe('Plain text with speaker labels and timestamps'),
    enhanced_transcript: z
      .string()
      .nullable()
      .describe('Transcript rebuilt from the recording; null until a transcript fix'),
    dynamic_variables: jsonObject.describe('Values passed on creation for `{{placeholders}}`'),
    agents: z
      .object({ agent_name: z.string().nullable().describe('Name; null if the assistant was deleted') })
      .nullable()
      .describe('The assistant'),
    phone_numbers: z
      .object({
        phone_number: z.string().describe('E.164'),
        friendly_name: z.string().nullable().describe('Nickname of the number'),
      })
      .nullable()
      .describe("The workspace's phone number"),
  })
  .meta({ id: 'LegacyCallDetail', description: 'A legacy call with its transcript' });

/** The response of the operations that pause and resume a recording [calls.28]. */
export const callRecordingState = z
  .object({
    id: uuid.describe('The call'),
    recording: z
      .enum(['recording', 'pausing', 'paused', 'resuming'])
      .describe(
        '`recording`: it records; `paused`: what is said is silence in the recording; `pausing`, `resuming`: requested, and not in effect yet',
      ),
  })
  .meta({ id: 'CallRecordingState', description: 'Whether a call is being recorded' });

export type CallRecordingState = z.output<typeof callRecordingState>;
