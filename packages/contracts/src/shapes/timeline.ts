import { z } from 'zod';
import { disconnectionReason } from './call.ts';
import { isoMillis, uuid } from './primitives.ts';

const entry = <const T extends string, S extends z.ZodRawShape>(type: T, fields: S) =>
  z.object({
    at: isoMillis.describe('When'),
    type: z.literal(type).describe('What kind of entry this is'),
    message: z.string().describe('What happened, in a sentence'),
    ...fields,
  });

const numbers = {
  from_number: z.string().nullable().describe('E.164; null for web calls'),
  to_number: z.string().nullable().describe('E.164; null for web calls'),
};
const callSid = { call_sid: z.string().nullable().describe("The carrier's own name of the call") };

/** One entry of a call's timeline (D6.12). */
export const timelineEntry = z.discriminatedUnion('type', [
  entry('queued', numbers),
  entry('dialing', numbers),
  entry('ringing', callSid),
  entry('answered', callSid),
  entry('turn', {
    role: z.enum(['user', 'agent']).describe('Who said it'),
    content: z.string().describe('What was said'),
  }),
  entry('tool', {
    tool_name: z.string().describe('The tool'),
    tool_type: z.string().describe('`custom`, `native` or `knowledge_base` (open set)'),
    args: z.unknown().describe('What the model passed to it'),
    status_code: z.int().nullable().describe("Of the endpoint's answer; null where there was none"),
    result: z.unknown().describe('A result that is very long is cut, and then a text'),
    error: z.string().nullable().describe('What went wrong, in words; null where nothing did'),
    slow: z.boolean().describe('The answer came in time, but took more than ten seconds'),
  }),
  entry('transfer', {
    destination: z.string().describe('Where to'),
    transfer_type: z.enum(['cold', 'warm']).describe('`warm`: the assistant introduced the caller first'),
    ok: z.boolean().describe('Whether the destination was reached'),
    error: z.string().nullable().describe('What went wrong, in words; null where nothing did'),
  }),
  entry('machine_detected', {}),
  entry('inbound_webhook', {
    outcome: z
      .enum(['used', 'rejected', 'ignored', 'failed'])
      .describe('`used`, `rejected`: its answer was heeded; `ignored`: it was bad; `failed`: there was none'),
    status: z.int().nullable().describe('HTTP status of its answer; null where there was none'),
    error: z.string().nullable().describe('What went wrong, in words; null where nothing did'),
    agent_id: uuid.nullable().describe('The assistant that it chose'),
  }),
  entry('ended', {
    disconnection_reason: disconnectionReason.nullable().describe('How the call ended'),
    duration: z.int().nullable().describe('Talk time in seconds'),
    cost: z.int().nullable().describe('Cents'),
    cause: z.string().describe('What lies behind the reason, such as `do_not_call` (open set)'),
  }),
  entry('recording_stored', {
    recording_sid: z.string().describe('Names the recording'),
    seconds: z.int().describe('Its length'),
    bytes: z.int().describe('Its size'),
  }),
  entry('analyzed', {
    edition: z.int().describe('1, and one more for each transcript fix'),
    complete: z.boolean().describe('False: generation was given up, and this is what there is'),
  }),
]);

export type TimelineEntry = z.output<typeof timelineEntry>;
