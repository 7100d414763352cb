import { z } from 'zod';
import { isoMillis } from './primitives.ts';

/** Of an answer by voice [calls.21]. */
export const turnLatency = z.object({
  end_of_turn_ms: z.number().describe('Until the turn of the human was known to be over'),
  first_token_ms: z.number().describe('Until the first words of the answer'),
  first_audio_ms: z.number().describe('Until the answer could be heard'),
});
export type TurnLatency = z.output<typeof turnLatency>;

/** What turns of spoken calls have besides their words. */
export const spokenDetails = {
  latency: turnLatency
    .nullish()
    .describe("Of an answer by voice: milliseconds from the end of the human's speech"),
  interrupted: z
    .boolean()
    .nullish()
    .describe(
      'By voice: whether the human cut the assistant off; `content` is what the human heard. Null or absent in a turn of the assistant: it is still being spoken, or its worker died meanwhile, and it is unknown what was heard',
    ),
};

/** One utterance [webhooks.4]. */
export const spokenTurn = z
  .object({
    role: z.enum(['user', 'agent']).describe('`user`: the human; `agent`: the assistant'),
    content: z.string().describe('Text'),
    timestamp: isoMillis.describe('Time'),
  })
  .meta({ id: 'SpokenTurn', description: 'An utterance of the human or the assistant' });

/** A tool execution between two utterances [webhooks.5]. */
const toolTurn = z
  .object({
    role: z.literal('tool').describe('A tool execution'),
    tool_name: z.string().describe('Name of the tool'),
    query: z.string().describe('Arguments, as a JSON string'),
    status_code: z
      .int()
      .nullable()
      .describe("HTTP status of the endpoint's response; null if there was none"),
    result: z.unknown().describe('Result of the tool'),
    error: z.string().nullable().describe('Error message; null if the execution succeeded'),
    documents: z
      .array(z.unknown())
      .nullable()
      .describe('Passages found in knowledge bases; null for other tools'),
    timestamp: isoMillis.describe('Time'),
  })
  .meta({ id: 'ToolTurn', description: 'A tool execution' });

/** One entry of a transcript, in order. */
export const turn = z.discriminatedUnion('role', [spokenTurn, toolTurn]);

/** One entry of a call's flat tool log. Values of `tool_type` may be added. */
export const toolExecution = z
  .object({
    tool_name: z.string().describe('Name of the tool'),
    tool_type: z.string().describe('`custom`, `native` or `knowledge_base`; values may be added'),
    description: z.string().nullable().describe('Description given to the model'),
    args: z.unknown().describe('Arguments from the model'),
    result: z.unknown().describe('Result of the tool'),
    error: z.string().nullable().describe('Error message; null if the execution succeeded'),
    executed_at: isoMillis.describe('Time'),
    slow: z.boolean().describe('Whether the response took more than ten seconds'),
  })
  .meta({ id: 'ToolExecution', description: "An entry of a call's tool log" });

export type Turn = z.output<typeof turn>;
export type ToolExecution = z.output<typeof toolExecution>;
