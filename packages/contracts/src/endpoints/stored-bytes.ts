import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { uuid } from '../shapes/primitives.ts';

/** The services that store significant amounts of workspace data. */
export const STORING_SERVICES = ['assistants', 'telephony', 'campaigns', 'webhooks'] as const;
export type StoringService = (typeof STORING_SERVICES)[number];

/** An estimate from samples, at most a minute old. */
export const storedBytesOf = (service: StoringService) =>
  defineEndpoint({
    access: 'internal',
    tag: 'Internal',
    envelope: 'data',
    status: 200,
    errors: [],
    service,
    id: 'getStoredBytes',
    method: 'GET',
    path: '/internal/stored-bytes',
    response: z.object({
      total: z.number(),
      /** Largest first, at most 10,000. */
      workspaces: z.array(z.object({ workspace_id: uuid, bytes: z.number() })),
    }),
    summary: 'Estimated storage of each workspace (any workspace)',
  });
