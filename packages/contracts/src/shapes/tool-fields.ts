import { z } from 'zod';
import { e164, jsonObject } from './primitives.ts';
import { CONNECTION_HEADERS, SIGNATURE_HEADERS, TOOL_REQUEST_HEADERS } from './request-headers.ts';
import { MAX_SMS_CHARACTERS, type NativeToolName, transferDestination } from './tool.ts';

// What a client sends of a tool, each kind its own fields: others are ignored, so no schema here is strict. What
// depends on several fields, or on how deep a schema is, the assistants service judges.

const NOT_OF_TOOLS = [...CONNECTION_HEADERS, ...SIGNATURE_HEADERS, ...TOOL_REQUEST_HEADERS]
  .sort()
  .map((name) => `\`${name}\``)
  .join(', ');

const description = z
  .string()
  .max(10_000)
  .nullable()
  .describe('Tells the model what the tool does and when to use it');

const timeoutSeconds = z
  .int()
  .min(5)
  .max(300)
  .describe(
    'How long the call waits for the tool. Answer within 10 seconds; what takes longer is marked slow',
  );

/** Of a custom tool (spec: POST /v1/tool/custom). */
export const customToolFields = z.object({
  tool_name: z
    .string()
    .trim()
    .min(1, { abort: true })
    .max(64)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
      error: 'must begin with a letter or underscore and hold letters, digits and underscores alone',
    })
    .describe(
      'What the model knows the tool as; no two tools of an assistant share it. ' +
        '`end_call`, `send_sms`, `transfer_call` and `report_voicemail` are reserved',
    ),
  description,
  endpoint_url: z.string().min(1).max(2048).describe('An `https://` or `http://` URL; returned as sent'),
  http_method: z
    .string()
    .transform((method) => method.toUpperCase())
    .pipe(z.enum(['GET', 'POST']))
    .describe(
      'In upper or lower case. With GET the arguments travel in the query, with POST in a JSON body that tells of the call too',
    ),
  headers: jsonObject.meta({
    description:
      'Header name to text, sent with every request. Names are compared without case; values are kept sealed and read `********`. ' +
      `Refused, since the platform says them itself or not at all: ${NOT_OF_TOOLS}`,
    additionalProperties: { type: 'string' },
  }),
  parameters: jsonObject
    .nullable()
    .describe(
      'JSON Schema of the arguments: an object with `properties`; null or `{}` means none. ' +
        '`const`, `oneOf`, `anyOf`, `allOf`, `not`, `$ref`, `if`, `then` and `else` are not supported anywhere in it. At most 32 KiB, with ' +
        '300 schemas (itself, parameters, and what they hold) and 1,000 keys and list items, plain values of an `enum` aside',
    ),
  timeout_seconds: timeoutSeconds,
  tool_behavior: z
    .enum(['blocking', 'non_blocking'])
    .nullable()
    .describe('Whether the conversation waits for the result; null means `blocking`'),
  result_scheduling: z
    .enum(['when_idle', 'silent'])
    .nullable()
    .describe('With `non_blocking` alone; null means `when_idle`'),
});

const secret = z.string().min(1).max(255);

/** Of each native tool (D4.3). */
export const nativeToolFields = {
  end_call: z.object({ description }),
  transfer_call: z.object({
    description,
    transfer_call_mode: z
      .enum(['static', 'dynamic'])
      .describe('Whether the call goes to `transfer_call_destination`, or where the model says'),
    transfer_call_destination: z
      .literal('')
      .or(transferDestination)
      .nullable()
      .describe('An E.164 number or a `sip:` URI; a `static` transfer needs one'),
    transfer_call_type: z
      .enum(['cold', 'warm'])
      .describe('`warm`: the assistant introduces the caller first'),
  }),
  send_sms: z.object({
    description,
    sms_content_type: z
      .enum(['prompt', 'static'])
      .describe('Whether the model writes the text, or it is fixed'),
    sms_static_message: z
      .string()
      .max(MAX_SMS_CHARACTERS)
      .nullable()
      .describe('The text of a `static` SMS, which needs one'),
    telco_account_sid: secret
      .nullable()
      .describe('The carrier account, together with `telco_auth_token`; reads `********` when saved'),
    telco_auth_token: secret.nullable().describe('Never returned'),
    telco_from_number: e164.nullable().describe('The sender; null: normally the number of the call'),
    timeout_seconds: timeoutSeconds,
  }),
} satisfies Record<NativeToolName, z.ZodObject>;

/** What a change of a custom tool may hold (D4.2). */
export const customToolChange = atLeastOne(
  customToolFields.extend({ headers: customToolFields.shape.headers.nullable() }).partial(),
);

/** What a change of a native tool may hold (D4.2): the tool's name, which the body doesn't tell, says which. */
export const nativeToolChanges = {
  end_call: atLeastOne(nativeToolFields.end_call.partial()),
  transfer_call: atLeastOne(nativeToolFields.transfer_call.partial()),
  send_sms: atLeastOne(nativeToolFields.send_sms.partial()),
};

function atLeastOne<Fields extends z.ZodObject>(fields: Fields) {
  return fields
    .meta({ minProperties: 1 })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: `must hold at least one of ${Object.keys(fields.shape).join(', ')}`,
      params: { code: 'required' },
    });
}
