import type { WebhookEvent } from '@parley/contracts';
import type { Claim } from '../delivery/ports.ts';

export type ResendClaim = Claim & { event: WebhookEvent; url: string };

/**
 * `unknown`: the workspace has no event of this call. `busy`: one that is asked for is just being attempted, and nothing
 * has been started. `started`: a fresh series of each event, leased; `nowhere`: those whose assistant has no URL, which
 * stay as they are.
 */
export type StartedSeries =
  | { state: 'unknown' }
  | { state: 'busy' }
  | { state: 'started'; claims: ResendClaim[]; nowhere: WebhookEvent[] };

export type ResendStore = {
  /** Of each event its newest edition: all or none of them. */
  start(
    workspaceId: string,
    callId: string,
    events: readonly WebhookEvent[],
    now: Date,
  ): Promise<StartedSeries>;
};
