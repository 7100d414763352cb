import { z } from 'zod';
import { isoMicros, jsonObject, textRecord, uuid } from './primitives.ts';

/** Where a transfer goes: a phone number or a `sip:` URI (D3.3, D4.3). */
export const transferDestination = z
  .string()
  .max(255)
  .regex(/^(?:\+[1-9]\d{6,14}|sip:(?:[^\s@<>"]+@)?[^\s@<>"]+)$/i, {
    error: 'must be an E.164 number such as +14155550123 or a sip: URI',
  });

/** Of the text of a static SMS: what carriers take for a long one. */
export const MAX_SMS_CHARACTERS = 1_600;

const maskedHeaders = textRecord
  .refine((headers) => Object.values(headers).every((value) => value === '********'))
  .meta({ type: 'object', additionalProperties: { const: '********' } });

/** Tool object: every tool carries every field (spec: Tool object). Secrets read `********`. */
export const tool = z
  .object({
    id: uuid.describe('The tool'),
    agent_id: uuid.describe('The assistant that owns it; never changes'),
    tool_name: z.string().describe('The name that the model calls it by'),
    description: z.string().nullable().describe('Tells the model what the tool does and when to use it'),
    is_native: z.boolean().nullable().describe('`false`, or null for an old one: a custom tool'),
    endpoint_url: z.string().describe('As it was sent; of a native tool `native://` and its name'),
    http_method: z.enum(['GET', 'POST']).describe('How the endpoint is asked; of a native tool `POST`'),
    headers: maskedHeaders.nullable().describe('Names, and `********` for every value'),
    parameters: jsonObject
      .nullable()
      .describe('JSON Schema of the arguments; of a native tool set by the service'),
    timeout_seconds: z.int().nullable().describe('How long the call waits for it'),
    tool_behavior: z.enum(['blocking', 'non_blocking']).nullable().describe('Null means `blocking`'),
    result_scheduling: z
      .enum(['when_idle', 'silent'])
      .nullable()
      .describe('With `non_blocking` alone; null means `when_idle`'),
    sms_content_type: z
      .enum(['prompt', 'static'])
      .nullable()
      .describe('`send_sms`: whether the model writes the text, or it is fixed; null on other tools'),
    sms_static_message: z.string().nullable().describe('`send_sms`: the text of a static SMS'),
    telco_account_sid: z
      .literal('********')
      .nullable()
      .describe('`********` when a carrier account is saved'),
    telco_from_number: z.string().nullable().describe('Null: normally the number of the call'),
    transfer_call_mode: z
      .enum(['static', 'dynamic'])
      .nullable()
      .describe("`transfer_call`: whether the destination is fixed or the model's; null on other tools"),
    transfer_call_destination: z
      .string()
      .nullable()
      .describe('`transfer_call`: where a static transfer goes'),
    transfer_call_type: z
      .enum(['cold', 'warm'])
      .nullable()
      .describe('`transfer_call`: whether the assistant introduces the caller (`warm`); null on other tools'),
    created_at: isoMicros.describe('When it was added'),
    updated_at: isoMicros.describe('Last change'),
  })
  .meta({
    id: 'Tool',
    description:
      'A tool. Every tool carries every field: one that does not apply to its kind holds its default or null',
  });

export const NATIVE_TOOL_NAMES = ['end_call', 'transfer_call', 'send_sms'] as const;
export type NativeToolName = (typeof NATIVE_TOOL_NAMES)[number];

/** Names that a custom tool can't take (spec: POST /v1/tool/custom). */
export const RESERVED_TOOL_NAMES = [...NATIVE_TOOL_NAMES, 'report_voicemail'] as const;
