import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
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
  component: lazyRouteComponent(
    () => import('../pages/campaigns/campaign/campaign-page.tsx'),
    'CampaignPage',
  ),
});

export const campaignsRoutes = [campaignsRoute, newCampaignRoute, campaignRoute];
