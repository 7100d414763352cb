import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { e164, idParams, uuid } from '../shapes/primitives.ts';

/**
 * The services that store data of persons and workspaces, in the order in which the gateway calls them: dials stop first,
 * and webhooks needs to know which calls telephony has erased.
 */
export const REMOVERS = ['campaigns', 'telephony', 'webhooks', 'assistants', 'gateway'] as const;
export type RemoverName = (typeof REMOVERS)[number];

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200 } as const;
const counts = z.record(z.string(), z.int());
const days = z.int().min(1).nullable();

export const removalAdvance = z.object({
  /** This pass is complete. */
  done: z.boolean(),
  /** Records removed by this pass so far. */
  found: z.int(),
  /** What blocks the removal of the rest; the next pass tries again. */
  waiting: z.string().nullable(),
  /** Totals of all passes, by place. */
  removed: counts,
  kept: z.array(z.object({ place: z.string(), count: z.int(), reason: z.string() })),
});
export type RemovalAdvance = z.output<typeof removalAdvance>;

/** Does a bounded part of a pass. Idempotent. */
export const advanceRemovalOf = (service: Exclude<RemoverName, 'gateway'>) =>
  defineEndpoint({
    ...route,
    service,
    id: 'advanceRemoval',
    method: 'POST',
    path: '/internal/removals/:id/advance',
    params: idParams,
    body: z.object({
      pass: z.int().min(1),
      /** A person by phone number, or null: the whole workspace. */
      phone_number: e164.nullable(),
      keep_do_not_call: z.boolean(),
    }),
    response: removalAdvance,
    errors: ['CONFLICT'],
    summary: "Remove the next part of a person's or a workspace's data",
  });

export const listRemovalCalls = defineEndpoint({
  ...route,
  service: 'telephony',
  id: 'listRemovalCalls',
  method: 'GET',
  path: '/internal/removals/:id/calls',
  params: idParams,
  query: z.object({ after: z.coerce.number().int().default(0) }),
  response: z.object({ call_ids: z.array(uuid), next: z.int().nullable() }),
  errors: [],
  summary: 'Calls affected by an erasure, 500 per page',
});

/** Retention of a workspace in days; null: the operator's default. */
export const retentionDays = z.object({ calls: days, recordings: days, attempts: days, contacts: days });
export type RetentionDays = z.output<typeof retentionDays>;

/** The services with a retention setting per workspace. */
export const RETAINERS = ['campaigns', 'telephony', 'webhooks'] as const;
export type RetainerName = (typeof RETAINERS)[number];

/** Stores the workspace's setting and removes a batch of older data. */
export const applyRetentionOf = (service: RetainerName) =>
  defineEndpoint({
    ...route,
    service,
    id: 'applyRetention',
    method: 'POST',
    path: '/internal/retention',
    body: retentionDays,
    response: z.object({ removed: counts, more: z.boolean() }),
    errors: [],
    summary: 'Apply the retention of a workspace to the next batch',
  });
