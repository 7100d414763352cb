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
  .describe('Calls a second that are dialled from it at most; 0.1 is one in ten seconds');
const nickname = z.string().max(100).nullable().optional().describe('For people; cannot be changed later');
const agentId = uuid.nullable();
const secret = z.string().min(1).max(255);

/** `host[:port]`, no scheme (D5.2). */
const terminationUri = z
  .string()
  .regex(/^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/, {
    error: 'must be a host with an optional port and no scheme',
  })
  .meta({
    description: 'Where the trunk takes calls: `host[:port]`, without a scheme',
    examples: ['sip.example.com:5060'],
  });

/** https, or http to an address that the operator allowed; null or empty: off (spec: PUT /v1/phone-number/{id}; D8.5). */
const inboundWebhookUrl = z
  .string()
  .max(2048)
  .nullable()
  .describe(
    'An `https://` URL that is asked before an inbound call connects, of SIP numbers alone; null or an empty text: off',
  );

export const connectSipNumber = defineEndpoint({
  ...route,
  id: 'connectSipNumber',
  method: 'POST',
  path: '/v1/phone-number/sip',
  body: z.object({
    phone_number: e164.describe('The number, E.164; a number can be connected once'),
    termination_uri: terminationUri,
    transport: z.enum(['udp', 'tcp', 'tls']).default('udp').describe('How the trunk is spoken to'),
    sip_trunk_auth_username: secret
      .nullable()
      .optional()
      .describe('Of the trunk, together with the password; left out or null where it wants none'),
    sip_trunk_auth_password: secret.nullable().optional().describe('Kept sealed and never returned'),
    nickname,
    inbound_agent_id: agentId.optional().describe('The assistant that answers; null: nobody does'),
    outbound_agent_id: agentId
      .optional()
      .describe('The assistant that calls when a call names none; null: none'),
    max_cps: maxCps.default(1),
    inbound_webhook_url: inboundWebhookUrl
      .optional()
      .describe('Only of SIP numbers; null or an empty text: off'),
  }),
  status: 201,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Connect a number over SIP trunking',
  description:
    'Both or neither of user name and password. `CONFLICT`: the number is connected already, here or in another workspace. An assistant that is not of the workspace is `VALIDATION_FAILED`.',
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
    phone_number: e164.describe('A number of the account, E.164; a number can be connected once'),
    telco_account_sid: secret.describe('The carrier account; kept sealed and never returned'),
    telco_auth_token: secret.describe('Its token; kept sealed and never returned'),
    nickname,
    inbound_agent_id: agentId.optional().describe('The assistant that answers; null: nobody does'),
    outbound_agent_id: agentId
      .optional()
      .describe('The assistant that calls when a call names none; null: none'),
    max_cps: maxCps.default(1),
  }),
  status: 201,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'CARRIER_ERROR', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Import a number by its carrier account',
  description:
    'The carrier is asked: an account or token that it refuses, and a number that is not of the account, are `VALIDATION_FAILED`. For inbound calls it is pointed at the service afterwards.',
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
    size: z.int().min(1).max(100).default(10).describe('Items a page'),
    search: z.string().min(1).max(255).optional().describe('Part of the number or the nickname'),
  }),
  status: 200,
  envelope: 'list',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: 'List phone numbers, newest first',
  description:
    '`next_cursor` is the next page number. A page past the last one answers `INTERNAL_ERROR` every time.',
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
  summary: 'Read one phone number',
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
      inbound_agent_id: agentId.optional().describe('The assistant that answers; null: nobody does'),
      outbound_agent_id: agentId
        .optional()
        .describe('The assistant that calls when a call names none; null: none'),
      max_cps: maxCps.optional(),
      inbound_webhook_url: inboundWebhookUrl.optional(),
    })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      error: 'must hold at least one of inbound_agent_id, outbound_agent_id, max_cps, inbound_webhook_url',
      params: { code: 'required' },
    }),
  status: 200,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'],
  summary: 'Change the assistants, the dial rate or the inbound webhook of a number',
  description:
    'Only the fields that are sent change. Number, nickname, carrier and credentials stay: whoever needs others deletes the number and connects it again.',
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
  summary: 'Point an imported number at the service',
  description:
    'Needed once before an imported number takes inbound calls; it may be repeated. Numbers that are connected over SIP ' +
    'trunking answer 422: their carrier sends calls to the trunk.',
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
  summary: 'Delete a number',
  description:
    'Calls are kept and read `phone_number_id` null; those that wait to be dialled from the number end as `dial_failed`, ' +
    'those that are up go on. The SIP trunk that was set up for it is removed, nothing changes at the carrier, and the ' +
    'number can be connected again, in any workspace. 409 while a campaign can still dial from it; the message names it.',
});
