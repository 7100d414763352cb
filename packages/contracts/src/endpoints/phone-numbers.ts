import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { phoneNumber } from '../shapes/phone-number.ts';
import { e164, idParams, page, uuid } from '../shapes/primitives.ts';

const route = {
  service: 'telephony',
  access: 'private',
  errorMessage401: true,
  tag: 'Phone numbers',
} as const;

const maxCps = z
  .number()
  .min(0.1)
  .max(1000)
  .describe(
    'Maximum outbound calls per second from this number, across campaigns and single calls; 0.1 is one call every ' +
      'ten seconds',
  );
const nickname = z.string().max(100).nullable().optional().describe('Display name; cannot be changed later');
const agentId = uuid.nullable().optional();
const assignments = {
  inbound_agent_id: agentId.describe('Assistant for inbound calls; null: none, calls are not answered'),
  outbound_agent_id: agentId.describe('Default assistant for outbound calls; null: none'),
};
const secret = z.string().min(1).max(255);

/** `host[:port]` without a scheme [numbers.2]. */
const terminationUri = z
  .string()
  .regex(/^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/, {
    error: 'must be a host with an optional port and no scheme; international names in Punycode (xn--…)',
  })
  .meta({
    description: 'SIP address of the trunk: `host[:port]`, without a scheme',
    examples: ['sip.example.com:5060'],
  });

/** https, or http to an address that the operator allowed; null or empty: off [webhooks.21]. */
const inboundWebhookUrl = z
  .string()
  .max(2048)
  .nullable()
  .describe(
    '`https://` URL that is called before an inbound call connects; SIP numbers only. Null or an empty string: off',
  );

export const connectSipNumber = defineEndpoint({
  ...route,
  id: 'connectSipNumber',
  method: 'POST',
  path: '/v1/phone-number/sip',
  body: z.object({
    phone_number: e164.describe('The number, E.164. Unique in the workspace and on the trunk'),
    termination_uri: terminationUri,
    transport: z.enum(['udp', 'tcp', 'tls']).default('udp').describe('SIP transport of the trunk'),
    sip_trunk_auth_username: secret
      .nullable()
      .optional()
      .describe(
        'Username for the trunk; requires the password. Omit it or pass null if the trunk does not authenticate',
      ),
    sip_trunk_auth_password: secret
      .nullable()
      .optional()
      .describe('Password for the trunk; stored encrypted and never returned'),
    nickname,
    ...assignments,
    max_cps: maxCps.default(1),
    inbound_webhook_url: inboundWebhookUrl
      .optional()
      .describe(
        '`https://` URL that is called before an inbound call connects; null or an empty string: off',
      ),
  }),
  status: 201,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Connect a number over SIP trunking',
  description:
    'Send both username and password, or neither. `CONFLICT`: the workspace already has the number, or it is ' +
    'connected in another workspace through the same trunk (termination host and username). An assistant that is ' +
    'not in the workspace is `VALIDATION_FAILED`.',
  example: {
    phone_number: '+14155550123',
    termination_uri: 'sip.example.com:5060',
    transport: 'tls',
    nickname: 'Front desk',
    max_cps: 2,
  },
});

export const importTelcoNumber = defineEndpoint({
  ...route,
  id: 'importTelcoNumber',
  method: 'POST',
  path: '/v1/phone-number/telco',
  body: z.object({
    phone_number: e164.describe('A number of the account, E.164. Unique in the workspace and on the account'),
    telco_account_sid: secret.describe(
      'Account SID of the carrier account; stored encrypted and never returned',
    ),
    telco_auth_token: secret.describe(
      'Auth token of the carrier account; stored encrypted and never returned',
    ),
    nickname,
    ...assignments,
    max_cps: maxCps.default(1),
  }),
  status: 201,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'CARRIER_ERROR', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Import a number from a carrier account',
  description:
    'The credentials are checked with the carrier: invalid credentials, and a number that is not on the account, ' +
    'are `VALIDATION_FAILED`. For inbound calls, set the number up afterwards with `POST ' +
    '/v1/phone-number/{id}/telco-webhook`.',
  example: {
    phone_number: '+14155550123',
    telco_account_sid: 'AC0123456789abcdef0123456789abcdef',
    telco_auth_token: 'of-your-account',
  },
});

export const listPhoneNumbers = defineEndpoint({
  ...route,
  id: 'listPhoneNumbers',
  method: 'POST',
  path: '/v1/phone-number/list',
  readsOnly: true,
  body: z.object({
    page,
    size: z.int().min(1).max(100).default(10).describe('Items per page'),
    search: z.string().min(1).max(255).optional().describe('Substring of the number or the nickname'),
  }),
  status: 200,
  envelope: 'list',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: 'List phone numbers, newest first',
  description:
    '`next_cursor` is the next page number. A page past the last one returns `INTERNAL_ERROR`; do not retry it.',
  example: { page: 1, size: 20, search: '415' },
});

export const getPhoneNumber = defineEndpoint({
  ...route,
  id: 'getPhoneNumber',
  method: 'GET',
  path: '/v1/phone-number/:id',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: phoneNumber,
  errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Get a phone number',
  description: 'Credentials are never returned.',
});

export const updatePhoneNumber = defineEndpoint({
  ...route,
  id: 'updatePhoneNumber',
  method: 'PUT',
  path: '/v1/phone-number/:id',
  params: idParams,
  body: z
    .object({
      ...assignments,
      max_cps: maxCps.optional(),
      inbound_webhook_url: inboundWebhookUrl.optional(),
    })
    .meta({ minProperties: 1 })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must have at least one of inbound_agent_id, outbound_agent_id, max_cps, inbound_webhook_url',
      params: { code: 'required' },
    }),
  status: 200,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Update the assistants, dial rate or inbound webhook of a number',
  description:
    'Missing fields stay unchanged. Number, nickname, carrier and credentials cannot be changed: delete the number ' +
    'and connect it again.',
  example: { inbound_agent_id: '0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11', max_cps: 0.5 },
});

export const pointTelcoNumber = defineEndpoint({
  ...route,
  id: 'pointTelcoNumber',
  method: 'POST',
  path: '/v1/phone-number/:id/telco-webhook',
  params: idParams,
  status: 200,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'CARRIER_ERROR', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Route inbound calls of an imported number to Parley',
  description:
    'Required once before an imported number receives inbound calls; can be repeated. Returns 422 for numbers ' +
    'connected over SIP trunking: their calls are routed here at the carrier.',
});

export const deletePhoneNumber = defineEndpoint({
  ...route,
  id: 'deletePhoneNumber',
  method: 'DELETE',
  path: '/v1/phone-number/:id',
  params: idParams,
  status: 204,
  envelope: 'none',
  errors: ['CONFLICT', 'NOT_FOUND', 'VALIDATION_FAILED', 'SERVICE_UNAVAILABLE', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Delete a phone number',
  description:
    'Its calls are kept, with `phone_number_id` null. Queued calls from the number end with `dial_failed`; calls in ' +
    'progress continue. The SIP trunk set up for it is removed, nothing changes at the carrier, and the number can ' +
    'be connected again in any workspace. `CONFLICT` while a campaign can still dial from it; the message names the ' +
    'campaign.',
});
