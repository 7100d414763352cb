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

const maxCps = z.number().min(0.1).max(1000);
const nickname = z.string().max(100).nullable().optional();
const agentId = uuid.nullable();
const secret = z.string().min(1).max(255);

/** `host[:port]`, no scheme (D5.2). */
const terminationUri = z
  .string()
  .regex(/^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/, {
    error: 'must be a host with an optional port and no scheme',
  });

/** https, or http to an address that the operator allowed; null or empty: off (spec: PUT /v1/phone-number/{id}; D8.5). */
const inboundWebhookUrl = z.string().max(2048).nullable();

export const connectSipNumber = defineEndpoint({
  ...route,
  id: 'connectSipNumber',
  method: 'POST',
  path: '/v1/phone-number/sip',
  body: z.object({
    phone_number: e164,
    termination_uri: terminationUri,
    transport: z.enum(['udp', 'tcp', 'tls']).default('udp'),
    sip_trunk_auth_username: secret.nullable().optional(),
    sip_trunk_auth_password: secret.nullable().optional(),
    nickname,
    inbound_agent_id: agentId.optional(),
    outbound_agent_id: agentId.optional(),
    max_cps: maxCps.default(1),
    inbound_webhook_url: inboundWebhookUrl.optional(),
  }),
  status: 201,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Connect a number over SIP trunking',
});

export const importTelcoNumber = defineEndpoint({
  ...route,
  id: 'importTelcoNumber',
  method: 'POST',
  path: '/v1/phone-number/telco',
  body: z.object({
    phone_number: e164,
    telco_account_sid: secret,
    telco_auth_token: secret,
    nickname,
    inbound_agent_id: agentId.optional(),
    outbound_agent_id: agentId.optional(),
    max_cps: maxCps.default(1),
  }),
  status: 201,
  envelope: 'data',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'CONFLICT', 'CARRIER_ERROR', 'UNAUTHORIZED', 'FORBIDDEN'],
  idempotent: true,
  summary: 'Import a number by its carrier account',
});

export const listPhoneNumbers = defineEndpoint({
  ...route,
  id: 'listPhoneNumbers',
  method: 'POST',
  path: '/v1/phone-number/list',
  body: z.object({
    page,
    size: z.int().min(1).max(100).default(10),
    search: z.string().min(1).max(255).optional().describe('Part of the number or the nickname'),
  }),
  status: 200,
  envelope: 'list',
  response: phoneNumber,
  errors: ['VALIDATION_FAILED', 'UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL_ERROR'],
  summary: 'List phone numbers, newest first',
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
});

export const updatePhoneNumber = defineEndpoint({
  ...route,
  id: 'updatePhoneNumber',
  method: 'PUT',
  path: '/v1/phone-number/:id',
  params: idParams,
  body: z
    .object({
      inbound_agent_id: agentId.optional(),
      outbound_agent_id: agentId.optional(),
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
