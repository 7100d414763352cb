import { z } from 'zod';
import { e164, jsonObject } from './primitives.ts';
import {
  CONNECTION_HEADERS,
  INTERNAL_HEADER_PREFIX,
  SIGNATURE_HEADERS,
  TOOL_REQUEST_HEADERS,
} from './request-headers.ts';
import { MAX_SMS_CHARACTERS, type NativeToolName, transferDestination } from './tool.ts';
import { DESCRIPTIVE_SCHEMA_KEYWORDS, VALIDATED_SCHEMA_KEYWORDS } from './tool-schema.ts';
import { webhookSecret, webhookSecretChange } from './webhook-secret.ts';

// Request fields of tools by kind. Fields of other kinds are ignored, so no schema here is strict. Rules across several fields,
// and the depth of schemas, are checked by the assistants service.

const FORBIDDEN_HEADERS = [
  ...CONNECTION_HEADERS,
  ...SIGNATURE_HEADERS,
  ...TOOL_REQUEST_HEADERS,
  `${INTERNAL_HEADER_PREFIX}*`,
]
  .sort()
  .map((name) => `\`${name}\``)
  .join(', ');

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const description = z
  .string()
  .max(10_000)
  .nullable()
  .describe('Tells the model what the tool does and when to use it');

const timeoutSeconds = z
  .int()
  .min(5)
  .max(300)
  .describe('Timeout of the tool in seconds. A response after more than 10 seconds is marked as slow');

/** Fields of a custom tool [tools.2] [tools.10]. */
export const customToolFields = z.object({
  tool_name: z
    .string()
    .trim()
    .min(1, { abort: true })
    .max(64, { abort: true })
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
      error: 'must start with a letter or underscore and contain only letters, digits and underscores',
    })
    .describe(
      'Name of the tool for the model; unique among the tools of the assistant. `end_call`, `send_sms`, ' +
        '`transfer_call` and `report_voicemail` are reserved',
    ),
  description,
  endpoint_url: z
    .string()
    .min(1)
    .max(2048)
    .meta({ format: 'uri' })
    .describe(
      '`https://` or `http://` URL; returned as sent. When its scheme, host or port changes, the values of all stored ' +
        "headers, and the tool's own `webhook_secret`, have to be sent again",
    ),
  http_method: z
    .string()
    .transform((method) => method.toUpperCase())
    .pipe(z.enum(['GET', 'POST']))
    .describe(
      '`GET` or `POST`, case-insensitive. With GET the arguments are sent in the query string, with POST in a JSON ' +
        'body together with data of the call. `webhook-signature` covers the body, or `GET path?query` of a GET request',
    ),
  headers: jsonObject.meta({
    description:
      'Header names and values, sent with every request. Names are case-insensitive; values are stored encrypted and ' +
      `returned as \`********\`. Not allowed, because the platform sets or omits them: ${FORBIDDEN_HEADERS}`,
    additionalProperties: { type: 'string' },
  }),
  webhook_secret: webhookSecret
    .nullable()
    .describe(
      "Signs this tool's requests instead of the workspace secret: `whsec_` followed by 24 to 64 random bytes in " +
        'base64 (`openssl rand -base64 32`). Never returned. A replaced secret keeps signing alongside the new one for ' +
        '24 hours; a second replacement within that time removes the oldest one immediately, and null removes all',
    ),
  parameters: jsonObject
    .nullable()
    .describe(
      'JSON Schema of the arguments: an object with `properties`; null or `{}` means no arguments. `const`, `oneOf`, ' +
        '`anyOf`, `allOf`, `not`, `$ref`, `if`, `then` and `else` are not supported at any level. Arguments are ' +
        `validated against ${quoted(VALIDATED_SCHEMA_KEYWORDS)}; the model also reads ` +
        `${quoted(DESCRIPTIVE_SCHEMA_KEYWORDS)}. Other keywords are rejected, except \`$schema\` and \`$id\` at the ` +
        'root. At most 32 KiB, 300 schemas (including nested ones) and 1,000 keys and array items, not counting scalar ' +
        'values of an `enum`',
    ),
  timeout_seconds: timeoutSeconds,
  tool_behavior: z
    .enum(['blocking', 'non_blocking'])
    .nullable()
    .describe(
      '`blocking`: the conversation waits for the result; `non_blocking`: it continues. Null means `blocking`',
    ),
  result_scheduling: z
    .enum(['when_idle', 'silent'])
    .nullable()
    .describe(
      'How the result of a `non_blocking` tool is used: `when_idle`: the assistant reacts at the next pause; ' +
        '`silent`: it only takes note. Null means `when_idle`',
    ),
});

const secret = z.string().min(1).max(255);

/** Fields of the native tools [tools.7]. */
export const nativeToolFields = {
  end_call: z.object({ description }),
  transfer_call: z.object({
    description,
    transfer_call_mode: z
      .enum(['static', 'dynamic'])
      .describe(
        '`static`: transfer to `transfer_call_destination`; `dynamic`: the model chooses the destination',
      ),
    transfer_call_destination: z
      .literal('')
      .or(transferDestination)
      .nullable()
      .describe('E.164 number or `sip:` URI; required for a `static` transfer'),
    transfer_call_type: z
      .enum(['cold', 'warm'])
      .describe('`cold`: connected directly; `warm`: the assistant introduces the caller first'),
  }),
  send_sms: z.object({
    description,
    sms_content_type: z
      .enum(['prompt', 'static'])
      .describe('`prompt`: the model writes the text; `static`: `sms_static_message`'),
    sms_static_message: z
      .string()
      .max(MAX_SMS_CHARACTERS)
      .nullable()
      .describe('Text of a `static` SMS, required if it is static'),
    telco_account_sid: secret
      .nullable()
      .describe('Account SID of a carrier account, together with `telco_auth_token`; returned as `********`'),
    telco_auth_token: secret.nullable().describe('Auth token of the carrier account; never returned'),
    telco_from_number: e164
      .nullable()
      .describe('Sender number, E.164; null: the number of the call, if possible'),
    timeout_seconds: timeoutSeconds,
  }),
} satisfies Record<NativeToolName, z.ZodObject>;

/** The body of a custom tool's update [tools.6]. */
export const customToolChange = atLeastOne(
  customToolFields
    .extend({
      headers: customToolFields.shape.headers.nullable(),
      webhook_secret: webhookSecretChange
        .nullable()
        .describe('`********` keeps the stored secret; other values as on creation'),
    })
    .partial(),
);

/** The body of a native tool's update [tools.6], by tool name. */
export const nativeToolChanges = {
  end_call: atLeastOne(nativeToolFields.end_call.partial()),
  transfer_call: atLeastOne(nativeToolFields.transfer_call.partial()),
  send_sms: atLeastOne(nativeToolFields.send_sms.partial()),
};

function atLeastOne<Fields extends z.ZodObject>(fields: Fields) {
  return fields
    .meta({ minProperties: 1 })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: `must have at least one of ${Object.keys(fields.shape).join(', ')}`,
      params: { code: 'required' },
    });
}
