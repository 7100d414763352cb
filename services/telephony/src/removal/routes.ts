import { listRemovalCalls as callsEndpoint } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type ApplyRetention, mountRemover, mountRetention, type Remover } from '@parley/kit/removal';

export type RemovalDeps = {
  remover: Remover;
  applyRetention: ApplyRetention;
  listRemovalCalls: (
    removalId: string,
    after: number,
  ) => Promise<{ call_ids: string[]; next: number | null }>;
};

/** Removals and retention, which the gateway starts. */
export function mountRemovals(app: App, { remover, applyRetention, listRemovalCalls }: RemovalDeps): void {
  mountRemover(app, 'telephony', remover);
  mountRetention(app, 'telephony', applyRetention);
  mount(app, callsEndpoint, ({ params, query }) => listRemovalCalls(params.id, query.after));
}
