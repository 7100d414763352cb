import { z } from 'zod';
import type { SpeechError } from '../ports.ts';
import { failureOfStatus, malformed, withoutKey } from '../providers/failures.ts';
import { type LiveAccount, MAX_ID_CHARACTERS } from './live-model.ts';

// Messages from Gemini's Live API: https://ai.google.dev/api/live

/** It is stored with the call. */
const MAX_HANDLE_CHARACTERS = 16_384;

const transcription = z.object({ text: z.string().optional(), finished: z.boolean().optional() });
const serverMessage = z.object({
  setupComplete: z.unknown().optional(),
  serverContent: z
    .object({
      modelTurn: z
        .object({
          parts: z
            .array(z.object({ inlineData: z.object({ data: z.string().optional() }).optional() }))
            .default([]),
        })
        .optional(),
      inputTranscription: transcription.optional(),
      outputTranscription: transcription.optional(),
      interrupted: z.boolean().optional(),
      generationComplete: z.boolean().optional(),
      turnComplete: z.boolean().optional(),
    })
    .optional(),
  toolCall: z
    .object({
      functionCalls: z
        .array(
          z.object({ id: z.string().max(MAX_ID_CHARACTERS), name: z.string(), args: z.unknown().optional() }),
        )
        .default([]),
    })
    .optional(),
  toolCallCancellation: z.object({ ids: z.array(z.string()).default([]) }).optional(),
  goAway: z.unknown().optional(),
  sessionResumptionUpdate: z
    .object({
      newHandle: z.string().max(MAX_HANDLE_CHARACTERS).optional(),
      resumable: z.boolean().optional(),
    })
    .optional(),
});
export type ServerMessage = z.output<typeof serverMessage>;

const anyMessage = z.object({ error: z.unknown().optional() });

/** Throws a SpeechError for an error message, and for anything outside of the protocol. */
export function readServerMessage(given: unknown, account: LiveAccount): ServerMessage {
  const { error } = anyMessage.parse(given);
  if (error !== undefined) throw failureIn(error, account);
  const message = serverMessage.parse(given);
  if (Object.values(message).every((part) => part === undefined)) checkKnown(given, account.name);
  return message;
}

/** A message has one field; unknown fields are new kinds of messages. */
function checkKnown(given: unknown, provider: string): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || Object.keys(given).length === 0)
    throw malformed(provider, 'a message that is not of the protocol');
}

function failureIn(error: unknown, { name, apiKey }: LiveAccount): SpeechError {
  const { code, message } = z
    .object({ code: z.number().catch(500), message: z.string().catch('error') })
    .catch({ code: 500, message: 'error' })
    .parse(error);
  return failureOfStatus(name, code, withoutKey(message, apiKey));
}
