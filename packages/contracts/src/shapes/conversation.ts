import { z } from 'zod';
import { isoMillis } from './primitives.ts';

/** What a person or the assistant said (spec: call_analyzed payload). */
export const spokenTurn = z
  .object({
    role: z.enum(['user', 'agent']).describe('Who said it: the human, or the assistant'),
    content: z.string().describe('What was said'),
    timestamp: isoMillis.describe('When'),
  })
  .meta({ id: 'SpokenTurn', description: 'What a person or the assistant said' });

/** A tool that was used between two turns (spec: call_analyzed payload). */
export const toolTurn = z
  .object({
    role: z.literal('tool').describe('A tool was used'),
    tool_name: z.string().describe('The tool'),
    query: z.string().describe('The arguments as a JSON string'),
    status_code: z.int().nullable().describe("Of the endpoint's answer; null where there was none"),
    result: z.unknown().describe('What the tool answered'),
    error: z.string().nullable().describe('What went wrong, in words; null where nothing did'),
    documents: z
      .array(z.unknown())
      .nullable()
      .describe('What a knowledge base found; null of any other tool'),
    timestamp: isoMillis.describe('When'),
  })
  .meta({ id: 'ToolTurn', description: 'A tool that was used between two turns' });

/** One entry of a transcript, in order. */
export const turn = z.discriminatedUnion('role', [spokenTurn, toolTurn]);

/** One entry of a call's flat tool log (spec: call_analyzed payload). `tool_type` is an open set. */
export const toolExecution = z
  .object({
    tool_name: z.string().describe('The tool'),
    tool_type: z.string().describe('`custom`, `native` or `knowledge_base` (open set)'),
    description: z.string().nullable().describe('What the model was told of it'),
    args: z.unknown().describe('What the model passed to it'),
    result: z.unknown().describe('What the tool answered'),
    error: z.string().nullable().describe('What went wrong, in words; null where nothing did'),
    executed_at: isoMillis.describe('When'),
    slow: z.boolean().describe('The answer came in time, but took more than ten seconds'),
  })
  .meta({ id: 'ToolExecution', description: "One entry of a call's tool log" });

export type Turn = z.output<typeof turn>;
export type ToolExecution = z.output<typeof toolExecution>;
