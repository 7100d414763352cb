import { z } from 'zod';
import { isoMicros, jsonObject, textRecord, uuid } from './primitives.ts';
import { maskedWebhookSecret } from './webhook-secret.ts';

/**
 * Destination of a transfer: E.164 number or `sip:` URI [tools.7], with its scheme in lower case. No `?`: headers of a URI, such as Replaces,
 * would reach the far end in the Refer-To of a transfer.
 */
export const transferDestination = z
  .string()
  .max(255, { abort: true })
  .regex(/^(?:\+[1-9]\d{6,14}|sip:(?:[^\s@<>"?]+@)?[^\s@<>"?]+)$/i, {
    error: 'must be an E.164 number such as +14155550123 or a sip: URI without headers',
  })
  .overwrite((destination) => destination.replace(/^sip:/i, 'sip:'));

/** Maximum length of a static SMS: the usual limit of carriers. */
export const MAX_SMS_CHARACTERS = 1_600;

const maskedHeaders = textRecord
  .refine((headers) => Object.values(headers).every((value) => value === '********'))
  .meta({ type: 'object', additionalProperties: { const: '********' } });

/** Tool: every tool has every field [tools.1]. Secrets are `********`. */
export const tool = z
  .object({
    id: uuid.describe('Id of the tool'),
    agent_id: uuid.describe('Assistant that owns the tool; cannot be changed'),
    tool_name: z.string().describe('Name of the tool for the model'),
    description: z.string().nullable().describe('Tells the model what the tool does and when to use it'),
    is_native: z
      .boolean()
      .nullable()
      .describe('`true` for native tools; `false`, or null for old records, for custom tools'),
    endpoint_url: z.string().describe('As sent; `native://<tool_name>` for native tools'),
    http_method: z.enum(['GET', 'POST']).describe('HTTP method of the endpoint; `POST` for native tools'),
    headers: maskedHeaders.nullable().describe('Header names, with `********` for every value'),
    webhook_secret: maskedWebhookSecret.describe(
      "`********`: requests are signed with the tool's own secret; null: with the workspace secret",
    ),
    parameters: jsonObject.nullable().describe('JSON Schema of the arguments; fixed for native tools'),
    timeout_seconds: z.int().nullable().describe('Timeout in seconds'),
    tool_behavior: z
      .enum(['blocking', 'non_blocking'])
      .nullable()
      .describe(
        '`blocking`: the conversation waits for the result; `non_blocking`: it continues. Null means `blocking`',
      ),
    result_scheduling: z
      .enum(['when_idle', 'silent'])
      .nullable()
      .describe('How the result of a `non_blocking` tool is used; null means `when_idle`'),
    sms_content_type: z
      .enum(['prompt', 'static'])
      .nullable()
      .describe(
        '`send_sms`: `prompt`: the model writes the text; `static`: fixed text. Null for other tools',
      ),
    sms_static_message: z.string().nullable().describe('`send_sms`: text of a static SMS'),
    telco_account_sid: z.literal('********').nullable().describe('`********` if a carrier account is stored'),
    telco_from_number: z
      .string()
      .nullable()
      .describe('`send_sms`: sender number; null: the number of the call, if possible'),
    transfer_call_mode: z
      .enum(['static', 'dynamic'])
      .nullable()
      .describe(
        '`transfer_call`: `static`: fixed destination; `dynamic`: the model chooses. Null for other tools',
      ),
    transfer_call_destination: z
      .string()
      .nullable()
      .describe('`transfer_call`: destination of a static transfer'),
    transfer_call_type: z
      .enum(['cold', 'warm'])
      .nullable()
      .describe(
        '`transfer_call`: `cold`: connected directly; `warm`: the assistant introduces the caller first. Null for other ' +
          'tools',
      ),
    created_at: isoMicros.describe('Time of creation'),
    updated_at: isoMicros.describe('Time of the last change'),
  })
  .meta({
    id: 'Tool',
    description:
      'A tool. Every tool has every field; fields that do not apply to its kind have their default or null',
  });

export const NATIVE_TOOL_NAMES = ['end_call', 'transfer_call', 'send_sms'] as const;
export type NativeToolName = (typeof NATIVE_TOOL_NAMES)[number];

/** Names that a custom tool cannot have [tools.2]. */
export const RESERVED_TOOL_NAMES = [...NATIVE_TOOL_NAMES, 'report_voicemail'] as const;
