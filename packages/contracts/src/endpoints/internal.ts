import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { callEnded } from '../messages/call.ts';
import { dialRefusal } from '../messages/dial.ts';
import { e164, idParams, jsonObject, textRecord, uuid } from '../shapes/primitives.ts';
import { signingSecret } from '../shapes/webhook-secret.ts';

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200 } as const;

/** Workspace settings for other services. Gateway, internal port. */
export const getWorkspaceSettings = defineEndpoint({
  ...route,
  service: 'gateway',
  id: 'getWorkspaceSettings',
  method: 'GET',
  path: '/internal/workspaces/:id',
  params: idParams,
  response: z.object({
    workspace_id: uuid,
    /** IANA zone of the workspace's days [analytics.2]. Absent in responses of an older gateway. */
    time_zone: z.string().default('UTC'),
    /** ISO 4217 code of all costs. Absent in responses of an older gateway. */
    currency: z.string().default('USD'),
    /** Cents per minute [general.5]. */
    rate_cents: z.int(),
    /** Maximum number of calls that are not completed [general.19]. */
    max_live_calls: z.int(),
    /** `whsec_…`, the current one first, then the previous one during rotation [webhooks.7]. */
    webhook_secrets: z.array(z.string()).min(1),
    /** [trust.24]. Absent in responses of an older gateway. */
    suspended: z.boolean().default(false),
    /** Prefixes of E.164 numbers; empty: any destination [trust.22]. */
    allowed_destinations: z.array(z.string()).default([]),
    /** Per day (UTC); null: no limit [trust.22]. */
    daily_spend_limit_cents: z.int().nullable().default(null),
  }),
  errors: ['NOT_FOUND'],
  summary: "A workspace's settings",
});

/** Called by telephony while it has live calls. Gateway, internal port. */
export const findSuspendedWorkspaces = defineEndpoint({
  ...route,
  service: 'gateway',
  id: 'findSuspendedWorkspaces',
  method: 'POST',
  path: '/internal/workspaces/suspended',
  body: z.object({ workspace_ids: z.array(uuid).max(1000) }),
  response: z.object({ suspended: z.array(uuid) }),
  errors: [],
  summary: 'Suspended workspaces among the given ones (any workspace)',
});

/** The fields that confirm that an assistant exists, and that copies need. */
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
  summary: "Given assistants that exist in the caller's workspace",
});

/** Called by webhooks once per version of an assistant. */
export const getAssistantWebhookSecrets = defineEndpoint({
  ...route,
  service: 'assistants',
  id: 'getAssistantWebhookSecrets',
  method: 'POST',
  path: '/internal/assistants/webhook-secrets',
  body: z.object({ agent_ids: z.array(uuid).max(100) }),
  response: z.array(
    z.object({
      agent_id: uuid,
      version: z.int(),
      /** The assistant's own, the current one first; empty: the workspace's secrets sign [webhooks.7]. */
      webhook_secrets: z.array(signingSecret),
    }),
  ),
  errors: [],
  summary: "Own signing secrets of the given assistants of the caller's workspace",
});

/** A tool for a call, with decrypted secrets. Never logged. */
export const snapshotTool = z.object({
  id: uuid,
  tool_name: z.string(),
  is_native: z.boolean(),
  description: z.string().nullable(),
  endpoint_url: z.string(),
  http_method: z.enum(['GET', 'POST']),
  headers: textRecord,
  /** The tool's own, the current one first; empty: the workspace's secrets sign [webhooks.7]. Absent in older snapshots. */
  webhook_secrets: z.array(signingSecret).default([]),
  parameters: jsonObject.nullable(),
  timeout_seconds: z.int(),
  tool_behavior: z.enum(['blocking', 'non_blocking']),
  result_scheduling: z.enum(['when_idle', 'silent']),
  /** Native tools only; null fields do not apply. */
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

/** An assistant as used by a call, which keeps the snapshot that it started with. */
export const assistantSnapshot = assistantBrief.extend({
  agent_type: z.string(),
  config: jsonObject,
  /** The tools of `toolIds`, in its order. */
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
  /** If `known_version` is current, `snapshot` is null. */
  query: z.object({ known_version: z.coerce.number().int().optional() }),
  response: z.object({ version: z.int(), snapshot: assistantSnapshot.nullable() }),
  errors: ['NOT_FOUND'],
  summary: 'Assistant snapshot for a call, with decrypted secrets',
});

/** What a call would get of an assistant that is being edited. Nothing is stored. */
export const getDraftSnapshot = defineEndpoint({
  ...route,
  service: 'assistants',
  id: 'getDraftSnapshot',
  method: 'POST',
  path: '/internal/assistants/draft-snapshot',
  /** With `agent_id`, `config` is a merge patch of the stored one and its tools can be used; without, a new configuration. */
  body: z.object({ agent_id: uuid.nullable(), config: jsonObject }),
  response: assistantSnapshot,
  errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED'],
  summary: 'Snapshot of an unsaved configuration, with decrypted secrets',
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
  summary: "A phone number of the caller's workspace",
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
  summary: "Dial rates of numbers, for sizing the dispatcher's window (any workspace)",
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
  summary: 'Activate or deactivate a number, for the operator (any workspace)',
});

export const withdrawDials = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'withdrawDials',
  method: 'POST',
  path: '/internal/dials/withdraw',
  /** Requests of the campaign with a lower generation are no longer dialed, including those in transit. */
  body: z.object({ campaign_id: uuid, below_generation: z.int() }),
  response: z.object({ withdrawn: z.int() }),
  errors: [],
  summary: 'Withdraw dial requests that have not reached the carrier',
});

/** The state of an attempt in telephony. */
const dialState = z.discriminatedUnion('state', [
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
  summary: 'States of attempts whose messages a campaign has not received (any workspace)',
});
