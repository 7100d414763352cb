import { z } from 'zod';
import { callObject, shortList, uuid } from './primitives.ts';

const content = z.string().max(20_000).describe('Text');
const toolName = z.string().min(1).max(64).describe('Name of the tool');
const args = z.unknown().describe('Arguments from the model');
const result = z.unknown().describe('Result of the tool');
const error = z.string().nullable().describe('Error message; null if the execution succeeded');

/** An entry of the conversation so far: what the responses returned, and the lines of the human. */
const testEntryInput = z.discriminatedUnion('role', [
  z.object({
    role: z.enum(['user', 'agent']).describe('`user`: the human; `agent`: the assistant'),
    content,
  }),
  z.object({
    role: z.literal('tool').describe('A tool execution'),
    tool_name: toolName,
    arguments: args,
    result,
    error: error.default(null),
  }),
]);

const spoken = z
  .object({
    role: z.literal('agent').describe('The assistant speaks'),
    content,
    latency_ms: z
      .int()
      .describe("Milliseconds from the human's line, or the end of the tool before, to the first words"),
    duration_ms: z.int().describe('Milliseconds to the last words'),
  })
  .meta({ id: 'TestSpokenEntry', description: 'An utterance of the assistant in a test' });

export const testToolEntry = z
  .object({
    role: z.literal('tool').describe('A tool execution'),
    tool_call_id: uuid.describe('Id of the execution, as sent to the endpoint'),
    tool_name: toolName,
    tool_type: z.string().describe('`custom`, `native` or `knowledge_base`; values may be added'),
    arguments: args,
    result,
    error,
    status_code: z
      .int()
      .nullable()
      .describe("HTTP status of the endpoint's response; null if there was none"),
    documents: z
      .array(z.unknown())
      .nullable()
      .describe('Passages found in knowledge bases; null for other tools'),
    duration_ms: z.int().describe('Milliseconds until the result'),
    simulated: z
      .string()
      .nullable()
      .describe(
        'What the tool would have done in a call, such as `Would hang up`; null if it was really run',
      ),
  })
  .meta({ id: 'TestToolEntry', description: 'A tool execution in a test' });

/** What the assistant did in one turn of a test. */
export const testEntry = z.discriminatedUnion('role', [spoken, testToolEntry]);
export type TestEntry = z.output<typeof testEntry>;

export const MAX_TEST_ENTRIES = 200;

export const testConversation = {
  transcript: shortList(testEntryInput, MAX_TEST_ENTRIES)
    .default([])
    .describe(
      'The conversation so far, oldest first: the `entries` of earlier responses and the messages of the human. Other ' +
        'fields are ignored',
    ),
  message: z
    .string()
    .trim()
    .min(1)
    .max(5_000)
    .nullable()
    .default(null)
    .describe("The human's next line; null: the assistant begins, or waits if the human has to begin"),
  dynamic_variables: callObject.default({}).describe('Values for `{{placeholders}}`; at most 16 KiB as JSON'),
  test_id: uuid
    .optional()
    .describe('`test_id` of the first response of this conversation; tools get it as `call_id`'),
};

export const testTurn = z
  .object({
    test_id: uuid.describe('Id of the conversation, for the next turn'),
    entries: z.array(testEntry).describe('What the assistant said and did, in order'),
    ended_by: z
      .string()
      .nullable()
      .describe('Tool that would have ended the call, such as `end_call`; null: the conversation continues'),
    unresolved_variables: z
      .array(z.string())
      .describe('The first 100 placeholders without a value, which are empty in the prompt'),
    is_timed_out: z.boolean().describe('Whether the turn was cut off after 60 seconds'),
    duration_ms: z.int().describe('Milliseconds of the whole turn'),
  })
  .meta({ id: 'TestTurn', description: "An assistant's turn in a test" });
export type TestTurn = z.output<typeof testTurn>;

/** A line of a turn that is streamed. The last one is `turn` or `error`. */
export const testTurnLine = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('tool_started'),
    tool_call_id: uuid,
    tool_name: toolName,
    arguments: args,
  }),
  z.object({ type: z.literal('entry'), entry: testEntry }),
  z.object({ type: z.literal('turn'), turn: testTurn }),
  z.object({ type: z.literal('error'), error: z.object({ code: z.string(), message: z.string() }) }),
]);
export type TestTurnLine = z.output<typeof testTurnLine>;
