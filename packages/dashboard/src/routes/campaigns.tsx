import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { queryClient } from '../app/client.ts';
import { requestCampaign } from '../pages/campaigns/campaign/campaign-queries.ts';
import { readCampaignSearch, readContactSearch } from '../pages/campaigns/campaign-search.ts';
import { shellRoute } from './shell.tsx';

const campaignsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/campaigns',
  validateSearch: readCampaignSearch,
  component: lazyRouteComponent(() => import('../pages/campaigns/list/campaigns-page.tsx'), 'CampaignsPage'),
});

const newCampaignRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/campaigns/new',
  component: lazyRouteComponent(
    () => import('../pages/campaigns/create/new-campaign-page.tsx'),
    'NewCampaignPage',
  ),
});

const campaignRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/campaigns/$campaignId',
  validateSearch: readContactSearch,
  loader: ({ params: { campaignId }, location }) =>
    requestCampaign(queryClient, campaignId, readContactSearch(location.search)),
  // Links that the pointer passes over load only the page's script: a person may send 600 requests a minute [general.27].
  preload: false,
  component: lazyRouteComponent(
    () => import('../pages/campaigns/campaign/campaign-page.tsx'),
    'CampaignPage',
  ),
});

export const campaignsRoutes = [campaignsRoute, newCampaignRoute, campaignRoute];
