import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { callEnded } from '../messages/call.ts';
import { dialRefusal } from '../messages/dial.ts';
import { e164, idParams, jsonObject, textRecord, uuid } from '../shapes/primitives.ts';

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200 } as const;

/** What other services need of a workspace. Gateway, internal port. */
export const getWorkspaceSettings = defineEndpoint({
  ...route,
  service: 'gateway',
  id: 'getWorkspaceSettings',
  method: 'GET',
  path: '/internal/workspaces/:id',
  params: idParams,
  response: z.object({
    workspace_id: uuid,
    /** Cents a minute (D1.10). */
    rate_cents: z.int(),
    /** Calls at once that are not completed (D1.6). */
    max_live_calls: z.int(),
    /** `whsec_…`, the current one first, then the one that is being rotated out (D8.1). */
    webhook_secrets: z.array(z.string()).min(1),
  }),
  errors: ['NOT_FOUND'],
  summary: "A workspace's settings",
});

/** Enough to know that an assistant is there, and to copy it. */
const assistantBrief = z.object({
  agent_id: uuid,
  agent_name: z.string(),
  version: z.int(),
  webhook_url: z.string().nullable(),
});

export const getAssistantBriefs = defineEndpoint({
  ...route,
  service: 'assistants',
  id: 'getAssistantBriefs',
  method: 'POST',
  path: '/internal/assistants/briefs',
  body: z.object({ agent_ids: z.array(uuid).max(100) }),
  response: z.array(assistantBrief),
  errors: [],
  summary: "Those of the given assistants that exist in the caller's workspace",
});

/** A tool as a call needs it: secrets opened. Never logged. */
export const snapshotTool = z.object({
  id: uuid,
  tool_name: z.string(),
  is_native: z.boolean(),
  description: z.string().nullable(),
  endpoint_url: z.string(),
  http_method: z.enum(['GET', 'POST']),
  headers: textRecord,
  parameters: jsonObject.nullable(),
  timeout_seconds: z.int(),
  tool_behavior: z.enum(['blocking', 'non_blocking']),
  result_scheduling: z.enum(['when_idle', 'silent']),
  /** Native tools alone; null fields do not apply. */
  native: z
    .object({
      sms_content_type: z.enum(['prompt', 'static']).nullable(),
      sms_static_message: z.string().nullable(),
      telco_account_sid: z.string().nullable(),
      telco_auth_token: z.string().nullable(),
      telco_from_number: z.string().nullable(),
      transfer_call_mode: z.enum(['static', 'dynamic']).nullable(),
      transfer_call_destination: z.string().nullable(),
      transfer_call_type: z.enum(['cold', 'warm']).nullable(),
    })
    .nullable(),
});

/** Everything a call needs of its assistant; a call keeps the one that it began with. */
export const assistantSnapshot = assistantBrief.extend({
  agent_type: z.string(),
  config: jsonObject,
  /** The tools in use: those of `toolIds`, in its order. */
  tools: z.array(snapshotTool),
});
export type AssistantSnapshot = z.output<typeof assistantSnapshot>;
export type SnapshotTool = z.output<typeof snapshotTool>;

export const getAssistantSnapshot = defineEndpoint({
  ...route,
  service: 'assistants',
  id: 'getAssistantSnapshot',
  method: 'GET',
  path: '/internal/assistants/:id/snapshot',
  params: idParams,
  /** With the version that the caller holds, an unchanged assistant answers `snapshot: null`. */
  query: z.object({ known_version: z.coerce.number().int().optional() }),
  response: z.object({ version: z.int(), snapshot: assistantSnapshot.nullable() }),
  errors: ['NOT_FOUND'],
  summary: 'What a call needs of its assistant, secrets opened',
});

export const findPhoneNumber = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'findPhoneNumber',
  method: 'GET',
  path: '/internal/phone-numbers/by-number/:phone_number',
  params: z.object({ phone_number: e164 }),
  response: z.object({
    phone_number_id: uuid,
    phone_number: e164,
    is_active: z.boolean(),
    max_cps: z.number(),
  }),
  errors: ['NOT_FOUND'],
  summary: "A number of the caller's workspace",
});

export const getDialRates = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'getDialRates',
  method: 'POST',
  path: '/internal/phone-numbers/dial-rates',
  body: z.object({ phone_number_ids: z.array(uuid).max(1000) }),
  response: z.array(z.object({ phone_number_id: uuid, max_cps: z.number(), is_active: z.boolean() })),
  errors: [],
  summary: 'How fast numbers may dial: what a dispatcher sizes its window by (any workspace)',
});

export const setNumberActivation = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'setNumberActivation',
  method: 'PUT',
  path: '/internal/phone-numbers/:id/activation',
  params: idParams,
  body: z.object({ is_active: z.boolean() }),
  response: z.object({ phone_number_id: uuid, is_active: z.boolean() }),
  errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  summary: "The operator's switch of a number (any workspace)",
});

export const withdrawDials = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'withdrawDials',
  method: 'POST',
  path: '/internal/dials/withdraw',
  /** Everything of the campaign with a generation below this one, waiting or still on its way, will not be dialled. */
  body: z.object({ campaign_id: uuid, below_generation: z.int() }),
  response: z.object({ withdrawn: z.int() }),
  errors: [],
  summary: 'Take back dial requests that have not left for the carrier',
});

/** What telephony knows of an attempt. */
export const dialState = z.discriminatedUnion('state', [
  z.object({ call_id: uuid, state: z.literal('unknown') }),
  z.object({ call_id: uuid, state: z.literal('waiting') }),
  z.object({ call_id: uuid, state: z.literal('refused'), reason: dialRefusal }),
  z.object({ call_id: uuid, state: z.literal('live'), answered: z.boolean() }),
  z.object({ call_id: uuid, state: z.literal('ended'), ended: callEnded }),
]);

export const getDialStates = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'getDialStates',
  method: 'POST',
  path: '/internal/dials/states',
  body: z.object({ call_ids: z.array(uuid).max(500) }),
  response: z.array(dialState),
  errors: [],
  summary: 'What became of attempts that a campaign has no news of (any workspace)',
});
