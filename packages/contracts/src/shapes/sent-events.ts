import { z } from 'zod';
import { callType } from './call.ts';
import { spokenTurn, toolExecution, turn } from './conversation.ts';
import { isoMillis, jsonObject, uuid } from './primitives.ts';

// What the platform sends to clients' endpoints, for the document of the API and for receivers. The services that send
// them build the bytes themselves; tests of theirs hold the two together.

const callId = uuid.describe('The call; with `event` what a receiver recognises a repetition by');
const agentId = z.string().describe('The assistant; an opaque text');
const timestamp = isoMillis.describe('When it happened');
const numbers = {
  from_number: z.string().nullable().describe('E.164; null for web calls'),
  to_number: z.string().nullable().describe('E.164; null for web calls'),
};
const dynamicVariables = jsonObject.describe('What was passed when the call was placed; `{}` if nothing was');
const reason = z
  .string()
  .describe(
    'How the call ended, such as `user_hangup`, `agent_hangup`, `completed`, `timeout`, `voicemail`, `no_answer`, ' +
      '`dial_busy`, `dial_failed`, `call_transfer`, `call_rejected`, `error`, `error_user_not_joined` (open set)',
  );
const duration = z.int().describe('Talk time in seconds; 0 for a call that was not answered');
const cost = z.int().describe('Cents');

/** The envelope of lifecycle events (spec: Events). */
const lifecycle = <const E extends string, P extends z.ZodType>(event: E, payload: P) =>
  z.object({
    event: z.literal(event).describe('What happened'),
    call_id: callId,
    agent_id: agentId,
    timestamp,
    payload: payload.describe('What is known of the call'),
  });

export const callStartedEvent = lifecycle(
  'call_started',
  z.object({
    status: z.literal('started').describe('Always the same'),
    start_time: isoMillis.describe('When the dial left, or the call came in'),
    call_type: callType.describe('Which way it went'),
    ...numbers,
    dynamic_variables: dynamicVariables,
  }),
).meta({ id: 'CallStartedEvent', description: 'A call was answered' });

export const callEndedEvent = lifecycle(
  'call_ended',
  z.object({
    status: z.literal('completed').describe('Always the same'),
    call_type: callType.describe('Which way it went'),
    ...numbers,
    start_time: isoMillis.describe('When the dial left, or the call came in'),
    end_time: isoMillis.describe('When it was over'),
    duration,
    cost,
    disconnection_reason: reason,
    dynamic_variables: dynamicVariables,
  }),
).meta({ id: 'CallEndedEvent', description: 'A call is over; transcript and analysis follow' });

const analyzedCall = z.object({
  id: uuid.describe('The call'),
  workspace_id: uuid.describe('Your workspace'),
  agent_id: agentId,
  call_type: callType.describe('Which way it went'),
  ...numbers,
  status: z.literal('completed').describe('Always the same'),
  duration,
  started_at: isoMillis.describe('When the dial left, or the call came in'),
  ended_at: isoMillis.describe('When it was over'),
  disconnection_reason: reason,
  recording_url: z
    .string()
    .nullable()
    .describe('A signed link, good for seven days; null where there is no recording'),
  recording_sid: z.string().nullable().describe('Names the recording'),
  call_sid: z.string().nullable().describe("The carrier's own name of the call; null for web calls"),
  cost,
  created_at: isoMillis.describe('When the call was asked for'),
  updated_at: isoMillis.describe('Last change'),
  transcript: z.array(turn).describe('Turns and tools, in order'),
  transcript_clean: z.array(spokenTurn).describe('The same without the tools'),
  summary: z
    .string()
    .nullable()
    .describe(
      'A fixed sentence for voicemail and for a contact who never spoke; null where the call never connected',
    ),
  analysis_data: jsonObject
    .nullable()
    .describe("By the names of the assistant's analysis fields; null where there is nothing"),
  dynamic_variables: dynamicVariables,
  tools: z.array(toolExecution).describe('Every tool that was used'),
});

export const callAnalyzedEvent = lifecycle(
  'call_analyzed',
  z.object({
    status: z.literal('analyzed').describe('Always the same'),
    data: analyzedCall.describe('The call'),
  }),
).meta({ id: 'CallAnalyzedEvent', description: 'Transcript, summary and analysis of a call are there' });

/** What a custom tool's endpoint is sent by POST (spec: tool_invoked payload; D4.6). */
export const toolInvokedEvent = z
  .object({
    event: z.literal('tool_invoked').describe('What happened'),
    call_id: uuid.describe('The call'),
    agent_id: agentId,
    timestamp,
    payload: z
      .object({
        tool_name: z.string().describe('The tool'),
        tool_call_id: z.string().describe('This use of the tool'),
        args: jsonObject.describe('What the model passed, by the `parameters` of the tool'),
        call: z
          .object({
            call_type: callType.describe('Which way it went'),
            customer_number: z.string().nullable().describe('Of the human; null for web calls'),
            dynamic_variables: dynamicVariables,
            transcript: z.string().describe('What was said so far, as text'),
            transcript_object: z.array(spokenTurn).describe('The same, turn by turn'),
          })
          .describe('The call as it is now'),
      })
      .describe('What is asked'),
  })
  .meta({ id: 'ToolInvokedEvent', description: 'The assistant uses a custom tool' });

/** What the inbound webhook of a number is sent, and may answer (D6.11). */
export const callInboundEvent = z
  .object({
    event: z.literal('call_inbound').describe('What happened'),
    call_id: uuid.describe('The call'),
    agent_id: agentId.nullable().describe('Who answers if you say nothing; null: nobody does'),
    timestamp,
    payload: z
      .object({
        from_number: z.string().describe('Who calls'),
        to_number: z.string().describe('Your number'),
        phone_number_id: uuid.describe('Its record'),
      })
      .describe('What is known of the call'),
  })
  .meta({ id: 'CallInboundEvent', description: 'Somebody calls; the call has not connected yet' });

export const callInboundAnswer = z
  .object({
    agent_id: uuid.nullish().describe('Who answers instead'),
    dynamic_variables: jsonObject.nullish().describe('Fill `{{placeholders}}` of the assistant'),
    reject: z.boolean().nullish().describe('True: the call is turned away'),
  })
  .meta({ id: 'CallInboundAnswer', description: 'All optional: `{}` leaves everything as it is' });

/** A request of the platform to an endpoint of a client's, for the document of the API. */
export type SentEvent = {
  name: string;
  tag: 'Webhooks' | 'Tools' | 'Phone numbers';
  summary: string;
  description: string;
  body: z.ZodType;
  /** What the endpoint may answer; absent: any 2xx will do. */
  answer?: z.ZodType;
  /** Counts attempts in `x-webhook-attempt`. */
  countsAttempts: boolean;
};

const DELIVERY =
  'Sent to `config.settings.webhookUrl` of the assistant. Whatever 2xx you answer within 12 seconds is a delivery; all else ' +
  'fails, and is tried up to 12 times, with waits of 2, 4, 8, … 256 minutes and then 6 hours. A 429 or 503 with ' +
  '`Retry-After` is heeded, between 1 minute and 6 hours. A 307 or 308 is followed once. Events of a call arrive in ' +
  'order until 30 minutes after its end. Recognise repetitions by `call_id` and `event`.';

export const sentEvents: readonly SentEvent[] = [
  {
    name: 'call_started',
    tag: 'Webhooks',
    summary: 'A call was answered',
    description: DELIVERY,
    body: callStartedEvent,
    countsAttempts: true,
  },
  {
    name: 'call_ended',
    tag: 'Webhooks',
    summary: 'A call is over, answered or not',
    description: DELIVERY,
    body: callEndedEvent,
    countsAttempts: true,
  },
  {
    name: 'call_analyzed',
    tag: 'Webhooks',
    summary: 'Transcript, summary and analysis of a call are there',
    description:
      `${DELIVERY} Sent once for every call: within seconds of its end, and up to 3 hours later where the analysis ` +
      'fails. A fixed transcript sends it again under a new `webhook-id`.',
    body: callAnalyzedEvent,
    countsAttempts: true,
  },
  {
    name: 'tool_invoked',
    tag: 'Tools',
    summary: 'The assistant uses a custom tool',
    description:
      'Sent to the `endpoint_url` of the tool, with its `headers`. Answer 2xx with JSON of any shape within 10 seconds: the ' +
      'assistant reads up to 15,000 characters of it. Any other answer is told to the assistant as an error, and the call ' +
      'goes on. A tool with `http_method` `GET` gets the arguments in the query string instead, and `x-call-id`, ' +
      '`x-agent-id` and `x-tool-call-id` as headers.',
    body: toolInvokedEvent,
    answer: z.unknown().describe('What the assistant is told'),
    countsAttempts: false,
  },
  {
    name: 'call_inbound',
    tag: 'Phone numbers',
    summary: 'Somebody calls a SIP number; the call has not connected yet',
    description:
      'Sent to the `inbound_webhook_url` of the number. Answer within 8 seconds who is to talk and with what variables, or ' +
      'turn the call away. It fails open: without a good answer the assistant of the number talks.',
    body: callInboundEvent,
    answer: callInboundAnswer,
    countsAttempts: true,
  },
];
