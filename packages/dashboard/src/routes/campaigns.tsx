import { createRoute } from '@tanstack/react-router';
import { queryClient } from '../app/client.ts';
import { readCampaignSearch, readContactSearch } from '../pages/campaigns/campaign-search.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

const campaignsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/campaigns',
  validateSearch: readCampaignSearch,
  component: lazyPage(() => import('../pages/campaigns/list/campaigns-page.tsx'), 'CampaignsPage'),
});

const newCampaignRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/campaigns/new',
  component: lazyPage(() => import('../pages/campaigns/create/new-campaign-page.tsx'), 'NewCampaignPage'),
});

const campaignRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/campaigns/$campaignId',
  validateSearch: readContactSearch,
  // Loaded with the page. If it cannot be loaded, neither can the page, which reports that.
  loader: ({ params: { campaignId }, location }) =>
    import('../pages/campaigns/campaign/campaign-queries.ts').then(
      ({ requestCampaign }) => requestCampaign(queryClient, campaignId, readContactSearch(location.search)),
      () => undefined,
    ),
  // Links that the pointer passes over load only the page's script: a person may send 600 requests a minute [general.27].
  preload: false,
  component: lazyPage(() => import('../pages/campaigns/campaign/campaign-page.tsx'), 'CampaignPage'),
});

export const campaignsRoutes = [campaignsRoute, newCampaignRoute, campaignRoute];
