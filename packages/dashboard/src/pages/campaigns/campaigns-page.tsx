import { Page } from '../../components/page.tsx';

export function CampaignsPage() {
  return <Page title="Campaigns">{null}</Page>;
}
