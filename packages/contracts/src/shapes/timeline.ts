import { z } from 'zod';
import { callNumbers, disconnectionReason } from './call.ts';
import { spokenDetails } from './conversation.ts';
import { isoMillis, OPEN_ENUM, uuid } from './primitives.ts';

const entry = <const T extends string, S extends z.ZodRawShape>(type: T, fields: S) =>
  z.object({
    at: isoMillis.describe('Time'),
    type: z.literal(type).describe('Type of the entry'),
    message: z.string().describe('Description for people'),
    ...fields,
  });

const callSid = { call_sid: z.string().nullable().describe("The carrier's id of the call") };

/** One entry of a call's timeline [calls.11]. */
export const timelineEntry = z.discriminatedUnion('type', [
  entry('queued', callNumbers),
  entry('dialing', callNumbers),
  entry('ringing', callSid),
  entry('answered', callSid),
  entry('turn', {
    role: z.enum(['user', 'agent']).describe('`user`: the human; `agent`: the assistant'),
    content: z.string().describe('Text'),
    ...spokenDetails,
  }),
  entry('tool', {
    tool_name: z.string().describe('Name of the tool'),
    tool_type: z.string().describe('`custom`, `native` or `knowledge_base`; values may be added'),
    args: z.unknown().describe('Arguments from the model'),
    status_code: z
      .int()
      .nullable()
      .describe("HTTP status of the endpoint's response; null if there was none"),
    result: z.unknown().describe('Result of the tool; a very long result is truncated to a string'),
    error: z.string().nullable().describe('Error message; null if there was no error'),
    slow: z.boolean().describe('Whether the response took more than ten seconds'),
  }),
  entry('transfer', {
    destination: z.string().describe('Destination: E.164 number or `sip:` URI'),
    transfer_type: z
      .enum(['cold', 'warm'])
      .describe('`cold`: connected directly; `warm`: the assistant introduced the caller first'),
    ok: z.boolean().describe('Whether the destination was reached'),
    error: z.string().nullable().describe('Error message; null if there was no error'),
  }),
  entry('dtmf', {
    digits: z.string().describe('Keys: 0-9, *, #, A-D'),
    direction: z
      .enum(['received', 'sent'])
      .describe('`received`: the human pressed them; `sent`: the assistant did'),
  }),
  entry('machine_detected', {}),
  entry('inbound_webhook', {
    outcome: z
      .enum(['used', 'rejected', 'ignored', 'failed'])
      .describe(
        '`used`: its response was applied; `rejected`: it rejected the call; `ignored`: its response was invalid; ' +
          '`failed`: there was no response',
      ),
    status: z.int().nullable().describe('HTTP status of its response; null if there was none'),
    error: z.string().nullable().describe('Error message; null if there was no error'),
    agent_id: uuid.nullable().describe('Assistant chosen by the response'),
  }),
  entry('ended', {
    disconnection_reason: disconnectionReason
      .meta(OPEN_ENUM)
      .nullable()
      .describe('Why the call ended; values may be added'),
    duration: z.int().nullable().describe('Talk time in seconds, rounded up'),
    cost: z.int().nullable().describe('Cost in cents'),
    cause: z.string().describe('Detailed cause, such as `do_not_call`; values may be added'),
    provider_code: z.string().nullish().describe("The carrier's own code, such as SIP's 486"),
    provider_text: z.string().nullish().describe("The carrier's own words"),
  }),
  entry('recording', {
    state: z
      .enum(['paused', 'resumed'])
      .describe('`paused`: from here on the recording is silence; `resumed`: it records again'),
  }),
  entry('recording_stored', {
    recording_sid: z.string().describe('Id of the recording'),
    seconds: z.int().describe('Duration in seconds'),
    bytes: z.int().describe('Size in bytes'),
  }),
  entry('transcription_failed', {
    error: z.string().describe('Why the transcript could not be rebuilt from the recording'),
  }),
  entry('analyzed', {
    edition: z.int().describe('1 for the first analysis, incremented by each transcript fix'),
    complete: z.boolean().describe('False: the analysis failed and is incomplete'),
  }),
]);

export type TimelineEntry = z.output<typeof timelineEntry>;
