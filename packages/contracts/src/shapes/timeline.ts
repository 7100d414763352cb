import { z } from 'zod';
import { disconnectionReason } from './call.ts';
import { isoMillis, uuid } from './primitives.ts';

const entry = <const T extends string, S extends z.ZodRawShape>(type: T, fields: S) =>
  z.object({
    at: isoMillis,
    type: z.literal(type),
    message: z.string().describe('What happened, in a sentence'),
    ...fields,
  });

const numbers = { from_number: z.string().nullable(), to_number: z.string().nullable() };
const callSid = { call_sid: z.string().nullable() };

/** One entry of a call's timeline (D6.12). */
export const timelineEntry = z.discriminatedUnion('type', [
  entry('queued', numbers),
  entry('dialing', numbers),
  entry('ringing', callSid),
  entry('answered', callSid),
  entry('turn', { role: z.enum(['user', 'agent']), content: z.string() }),
  entry('tool', {
    tool_name: z.string(),
    tool_type: z.string(),
    args: z.unknown(),
    status_code: z.int().nullable(),
    result: z.unknown().describe('A result that is very long is cut, and then a text'),
    error: z.string().nullable(),
    slow: z.boolean(),
  }),
  entry('transfer', {
    destination: z.string(),
    transfer_type: z.enum(['cold', 'warm']),
    ok: z.boolean(),
    error: z.string().nullable(),
  }),
  entry('machine_detected', {}),
  entry('inbound_webhook', {
    outcome: z
      .enum(['used', 'rejected', 'ignored', 'failed'])
      .describe('`used`, `rejected`: its answer was heeded; `ignored`: it was bad; `failed`: there was none'),
    status: z.int().nullable(),
    error: z.string().nullable(),
    agent_id: uuid.nullable().describe('The assistant that it chose'),
  }),
  entry('ended', {
    disconnection_reason: disconnectionReason.nullable(),
    duration: z.int().nullable(),
    cost: z.int().nullable(),
    cause: z.string().describe('What lies behind the reason, such as `do_not_call` (open set)'),
  }),
  entry('recording_stored', {
    recording_sid: z.string(),
    seconds: z.int(),
    bytes: z.int(),
  }),
  entry('analyzed', {
    edition: z.int(),
    complete: z.boolean().describe('False: generation was given up, and this is what there is'),
  }),
]);

export type TimelineEntry = z.output<typeof timelineEntry>;
