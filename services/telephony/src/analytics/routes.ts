import {
  type AttentionItem,
  getCallAnalytics as analyticsEndpoint,
  attentionOf,
  getConcurrency as concurrencyEndpoint,
  listLiveCalls as liveEndpoint,
  listCallAnalytics as rowsEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type AnalyticsDeps, getAnalytics, listAnalytics } from './get-analytics.ts';
import { type LiveCallDeps, listLiveCalls, readConcurrency } from './read-live-calls.ts';

export type AnalyticsRouteDeps = AnalyticsDeps &
  LiveCallDeps & {
    openCircuits: FindAttention;
    findUnpublished: FindAttention;
  };

type FindAttention = (workspaceId: string) => Promise<AttentionItem[]>;

export function mountAnalytics(app: App, deps: AnalyticsRouteDeps): void {
  mount(app, rowsEndpoint, ({ auth, query }) => listAnalytics(deps, auth, query));
  mount(app, analyticsEndpoint, ({ auth, query }) => getAnalytics(deps, auth, query));
  mount(app, liveEndpoint, ({ auth, query }) => listLiveCalls(deps, auth, query));
  mount(app, concurrencyEndpoint, ({ auth }) => readConcurrency(deps, auth));
  mount(app, attentionOf('telephony'), async ({ auth: { workspaceId } }) => {
    const [circuits, unpublished] = await Promise.all([
      deps.openCircuits(workspaceId),
      deps.findUnpublished(workspaceId),
    ]);
    return { items: [...circuits, ...unpublished] };
  });
}
