import { z } from 'zod';
import type { SpeechError } from '../ports.ts';
import { failureOfStatus, withoutKey } from '../providers/failures.ts';
import { type LiveAccount, type LiveToolResult, type LiveTurn, MAX_ID_CHARACTERS } from './live-model.ts';

// The messages of OpenAI's Realtime API: https://platform.openai.com/docs/api-reference/realtime

const id = z.string().max(MAX_ID_CHARACTERS);
const item = z.object({
  id: id.optional(),
  type: z.string(),
  status: z.string().optional(),
  name: z.string().optional(),
  call_id: id.optional(),
  arguments: z.string().optional(),
});
const apiError = z.object({
  type: z.string().nullish(),
  code: z.string().nullish(),
  message: z.string().nullish(),
});
/** The events that are used; others are skipped. */
const serverEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.updated') }),
  z.object({ type: z.literal('error'), error: apiError }),
  z.object({ type: z.literal('input_audio_buffer.speech_started') }),
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: id }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.completed'),
    item_id: id,
    transcript: z.string(),
  }),
  z.object({ type: z.literal('conversation.item.input_audio_transcription.failed'), item_id: id }),
  z.object({ type: z.literal('response.created') }),
  z.object({ type: z.literal('response.output_audio.delta'), item_id: id, delta: z.string() }),
  z.object({
    type: z.literal('response.output_audio_transcript.delta'),
    item_id: id,
    delta: z.string(),
  }),
  z.object({ type: z.literal('response.output_item.done'), item }),
  z.object({
    type: z.literal('response.done'),
    response: z.object({
      status: z.string().nullish(),
      status_details: z.object({ error: apiError.nullish() }).nullish(),
    }),
  }),
]);
const KNOWN: ReadonlySet<string> = new Set(
  serverEvent.options.map(({ shape }) => shape.type.value as string),
);

export type ServerEvent = z.output<typeof serverEvent>;
export type OutputItem = z.output<typeof item>;
type ApiError = z.output<typeof apiError>;

const anyEvent = z.object({ type: z.string() });

/** Undefined: an event that is skipped. */
export function readServerEvent(given: unknown): ServerEvent | undefined {
  const { type } = anyEvent.parse(given);
  return KNOWN.has(type) ? serverEvent.parse(given) : undefined;
}

/** Other errors reject a command that came too late, and the session continues. */
const FATAL = /session_expired|server_error|rate_limit|insufficient_quota|api_key|authentication|permission/;

export const isFatal = (error: ApiError): boolean => FATAL.test(wordsOf(error));

const wordsOf = ({ type, code }: ApiError): string => `${code ?? ''} ${type ?? ''}`;

/** Maps an error to the kind of failure that the corresponding HTTP status has. */
export function failureIn(error: ApiError, account: LiveAccount): SpeechError {
  const { code, message } = error;
  const words = withoutKey(message ?? code ?? 'error', account.apiKey);
  const what = wordsOf(error);
  if (/api_key|authentication|permission|insufficient_quota/.test(what))
    return failureOfStatus(account.name, 401, words);
  if (/rate_limit/.test(what)) return failureOfStatus(account.name, 429, words);
  // A session ends after an hour, and another one continues it.
  if (/session_expired|server_error/.test(what)) return failureOfStatus(account.name, 503, words);
  return failureOfStatus(account.name, /invalid_request/.test(what) ? 400 : 503, words);
}

export function toItems(turn: LiveTurn): object[] {
  if (turn.role === 'tool')
    return toolItems({ id: `call_${Math.random().toString(36).slice(2, 14)}`, ...turn }, turn);
  const type = turn.role === 'user' ? 'input_text' : 'output_text';
  const role = turn.role === 'user' ? 'user' : 'assistant';
  return [{ type: 'message', role, content: [{ type, text: turn.content }] }];
}

export function toolItems(
  { id, name, args }: { id: string; name: string; args: unknown },
  answer: LiveToolResult,
) {
  return [
    { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args ?? {}) },
    outputOf(id, answer),
  ];
}

export function outputOf(call_id: string, { result, error }: LiveToolResult) {
  const output = JSON.stringify(error === null ? (result ?? null) : { error });
  return { type: 'function_call_output', call_id, output };
}

export const createItem = (given: object) => ({ type: 'conversation.item.create', item: given });

/** Arguments that are not JSON are passed on as text: they fit no tool, and the model gets that error. */
export function readArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
