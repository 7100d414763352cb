import { z } from 'zod';
import { callNumbers, DISCONNECTION_REASONS, describedCallType } from './call.ts';
import { spokenTurn, toolExecution, turn } from './conversation.ts';
import { isoMillis, jsonObject, OPEN_ENUM, uuid } from './primitives.ts';

// Requests of the platform to clients' endpoints, for the API reference and for receivers. The sending services build the
// bodies themselves; their tests keep the two in sync.

const callId = uuid.describe('Id of the call');
const agentId = z.string().describe('Id of the assistant; an opaque string');
const timestamp = isoMillis.describe('Time of the event');
const startTime = isoMillis.describe('Time at which dialing started or the inbound call arrived');
const dynamicVariables = jsonObject.describe(
  'Values passed on creation for `{{placeholders}}`; `{}` if there were none',
);
const reason = z
  .enum(DISCONNECTION_REASONS.map((reason) => (reason === 'dial_no_answer' ? 'no_answer' : reason)))
  .meta(OPEN_ENUM)
  .describe('Why the call ended; values may be added. `no_answer` is `dial_no_answer` in the calls API');
const duration = z.int().describe('Talk time in seconds, rounded up; 0 for a call that was not answered');
const cost = z.int().describe('Cost in cents');

/** The envelope of lifecycle events [webhooks.1]. */
const lifecycle = <const E extends string, P extends z.ZodType>(event: E, payload: P) =>
  z.object({
    event: z.literal(event).describe('Event type'),
    call_id: callId,
    agent_id: agentId,
    timestamp,
    payload: payload.describe('Event data'),
  });

export const callStartedEvent = lifecycle(
  'call_started',
  z.object({
    status: z.literal('started').describe('Constant'),
    start_time: startTime,
    call_type: describedCallType,
    ...callNumbers,
    dynamic_variables: dynamicVariables,
  }),
).meta({ id: 'CallStartedEvent', description: 'A call was answered' });

export const callEndedEvent = lifecycle(
  'call_ended',
  z.object({
    status: z.literal('completed').describe('Constant'),
    call_type: describedCallType,
    ...callNumbers,
    start_time: startTime,
    end_time: isoMillis.describe('Time of the end'),
    duration,
    cost,
    disconnection_reason: reason,
    dynamic_variables: dynamicVariables,
  }),
).meta({ id: 'CallEndedEvent', description: 'A call ended; transcript and analysis follow' });

const analyzedCall = z.object({
  id: uuid.describe('The call'),
  workspace_id: uuid.describe('Id of the workspace'),
  agent_id: agentId,
  call_type: describedCallType,
  ...callNumbers,
  status: z.literal('completed').describe('Constant'),
  duration,
  started_at: startTime,
  ended_at: isoMillis.describe('Time of the end'),
  disconnection_reason: reason,
  recording_url: z
    .string()
    .meta({ format: 'uri' })
    .nullable()
    .describe('Signed link to the recording, valid for seven days; null if there is no recording'),
  recording_sid: z.string().nullable().describe('Id of the recording; null if there is none'),
  call_sid: z.string().nullable().describe("The carrier's id of the call; null for web calls"),
  cost,
  created_at: isoMillis.describe('Time of creation'),
  updated_at: isoMillis.describe('Time of the last change'),
  transcript: z.array(turn).describe('Utterances and tool executions, in order'),
  transcript_clean: z.array(spokenTurn).describe('`transcript` without tool executions'),
  summary: z
    .string()
    .nullable()
    .describe(
      'Summary of the conversation; a fixed sentence for voicemail and for calls in which the human never spoke; null ' +
        'if the call never connected',
    ),
  analysis_data: jsonObject.nullable().describe('Extracted values by analysis field; null if there are none'),
  dynamic_variables: dynamicVariables,
  tools: z.array(toolExecution).describe('All tool executions'),
});

export const callAnalyzedEvent = lifecycle(
  'call_analyzed',
  z.object({
    status: z.literal('analyzed').describe('Constant'),
    data: analyzedCall.describe('The call'),
  }),
).meta({ id: 'CallAnalyzedEvent', description: 'Transcript, summary and analysis of a call are available' });

/** The request to a custom tool's endpoint with `http_method` POST [tools.17]. */
export const toolInvokedEvent = z
  .object({
    event: z.literal('tool_invoked').describe('Event type'),
    call_id: uuid.describe('The call'),
    agent_id: agentId,
    timestamp,
    payload: z
      .object({
        tool_name: z.string().describe('Name of the tool'),
        tool_call_id: z.string().describe('Id of this tool execution'),
        args: jsonObject.describe("Arguments from the model, matching the tool's `parameters`"),
        call: z
          .object({
            call_type: describedCallType,
            customer_number: z.string().nullable().describe('Number of the human; null for web calls'),
            dynamic_variables: dynamicVariables,
            transcript: z.string().describe('Transcript so far, as text'),
            transcript_object: z.array(spokenTurn).describe('Transcript so far, turn by turn'),
          })
          .describe('Current state of the call'),
      })
      .describe('Tool execution'),
  })
  .meta({ id: 'ToolInvokedEvent', description: 'The assistant calls a custom tool' });

/** The request to a number's inbound webhook [calls.15]. */
export const callInboundEvent = z
  .object({
    event: z.literal('call_inbound').describe('Event type'),
    call_id: uuid.describe('The call'),
    agent_id: agentId.nullable().describe('Assistant that answers by default; null: none'),
    timestamp,
    payload: z
      .object({
        from_number: z.string().describe('Calling number'),
        to_number: z.string().describe('Your number'),
        phone_number_id: uuid.describe('Id of your number'),
      })
      .describe('Event data'),
  })
  .meta({ id: 'CallInboundEvent', description: 'An inbound call that has not been connected yet' });

const callInboundAnswer = z
  .object({
    agent_id: uuid.nullish().describe('Assistant that answers instead of the default'),
    dynamic_variables: jsonObject
      .nullish()
      .describe('Values for `{{placeholders}}`; a response with more than 16 KiB of them is ignored'),
    reject: z.boolean().nullish().describe('True: reject the call'),
  })
  .meta({ id: 'CallInboundAnswer', description: 'All fields are optional; `{}` keeps the defaults' });

/** A request of the platform to a client's endpoint, for the API reference. */
export type SentEvent = {
  name: string;
  tag: 'Webhooks' | 'Tools' | 'Phone numbers';
  summary: string;
  description: string;
  body: z.ZodType;
  /** Response of the endpoint; absent: any 2xx. */
  answer?: z.ZodType;
  /** Whether `x-webhook-attempt` counts attempts. */
  countsAttempts: boolean;
};

const DELIVERY =
  'Sent to `config.settings.webhookUrl` of the assistant. Any 2xx response within 12 seconds acknowledges the ' +
  'event. Other responses, and none, are retried: up to 12 attempts, with delays of 2, 4, 8, … 256 minutes and ' +
  'then 6 hours. `Retry-After` of a 429 or 503 is respected between 1 minute and 6 hours. One 307 or 308 redirect ' +
  'is followed. The events of a call arrive in order until 30 minutes after its end. Deduplicate by `webhook-id`, ' +
  'which is the same for every attempt and resend.';

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
    summary: 'A call ended, answered or not',
    description: DELIVERY,
    body: callEndedEvent,
    countsAttempts: true,
  },
  {
    name: 'call_analyzed',
    tag: 'Webhooks',
    summary: 'Transcript, summary and analysis of a call are available',
    description:
      `${DELIVERY} Sent for every call: within seconds of its end, or up to 3 hours later if the analysis has to be ` +
      'retried. A transcript fix sends it again, with the better transcript and a new `webhook-id`.',
    body: callAnalyzedEvent,
    countsAttempts: true,
  },
  {
    name: 'tool_invoked',
    tag: 'Tools',
    summary: 'The assistant calls a custom tool',
    description:
      "Sent to the tool's `endpoint_url` with its `headers`. Respond with 2xx and any JSON within `timeout_seconds`, " +
      'if possible within 10 seconds: later responses are marked as slow. The assistant reads up to 15,000 ' +
      'characters. Any other response, and none in time, is reported to the assistant as an error, ' +
      'and the call continues. With `http_method` `GET` the arguments are in the query string instead, and ' +
      '`x-call-id`, `x-agent-id` and `x-tool-call-id` in headers.',
    body: toolInvokedEvent,
    answer: z.unknown().describe('Result for the assistant'),
    countsAttempts: false,
  },
  {
    name: 'call_inbound',
    tag: 'Phone numbers',
    summary: 'An inbound call to a SIP number that has not been connected yet',
    description:
      "Sent to the number's `inbound_webhook_url`. Respond within 8 seconds to choose the assistant, pass variables " +
      "or reject the call. Without a valid response the number's own assistant answers.",
    body: callInboundEvent,
    answer: callInboundAnswer,
    countsAttempts: true,
  },
];
