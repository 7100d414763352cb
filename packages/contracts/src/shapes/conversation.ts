import { z } from 'zod';
import { isoMillis } from './primitives.ts';

/** What a person or the assistant said (spec: call_analyzed payload). */
export const spokenTurn = z.object({
  role: z.enum(['user', 'agent']),
  content: z.string(),
  timestamp: isoMillis,
});

/** A tool that was used between two turns (spec: call_analyzed payload). */
export const toolTurn = z.object({
  role: z.literal('tool'),
  tool_name: z.string(),
  /** The arguments as a JSON string. */
  query: z.string(),
  status_code: z.int().nullable(),
  result: z.unknown(),
  error: z.string().nullable(),
  /** What a knowledge base found (D3.6). */
  documents: z.array(z.unknown()).nullable(),
  timestamp: isoMillis,
});

/** One entry of a transcript, in order. */
export const turn = z.discriminatedUnion('role', [spokenTurn, toolTurn]);

/** One entry of a call's flat tool log (spec: call_analyzed payload). `tool_type` is an open set. */
export const toolExecution = z.object({
  tool_name: z.string(),
  tool_type: z.string(),
  description: z.string().nullable(),
  args: z.unknown(),
  result: z.unknown(),
  error: z.string().nullable(),
  executed_at: isoMillis,
  /** The answer came in time, but later than an integrator promises (D4.5). */
  slow: z.boolean(),
});

export type Turn = z.output<typeof turn>;
export type ToolExecution = z.output<typeof toolExecution>;
