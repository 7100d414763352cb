import {
  cancelCampaign,
  listContacts as contactsEndpoint,
  createCampaign as createEndpoint,
  getCampaign as getEndpoint,
  listCampaigns as listEndpoint,
  pauseCampaign,
  resumeCampaign,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type ChangeDeps, changeCampaign } from '../domain/change-campaign.ts';
import { type CreateDeps, createCampaign } from '../domain/create-campaign.ts';
import { getCampaign, listCampaigns, listContacts } from '../domain/read-campaigns.ts';
import type { Verb } from '../domain/transition.ts';

export function mountCampaigns(app: App, deps: CreateDeps & ChangeDeps): void {
  mount(app, createEndpoint, ({ body, auth: { workspaceId }, requestId, idempotency }) =>
    createCampaign(deps, { body, idempotency, asker: { workspaceId, requestId } }),
  );
  mount(app, getEndpoint, ({ params: { id }, auth: { workspaceId } }) =>
    getCampaign(deps, { workspaceId, id }),
  );
  mount(app, listEndpoint, ({ query: { agent_id: agentId, ...filter }, auth: { workspaceId } }) =>
    listCampaigns(deps, { ...filter, agentId, workspaceId }),
  );
  mount(app, contactsEndpoint, ({ params: { id }, query, auth: { workspaceId } }) =>
    listContacts(deps, { ...query, workspaceId, id }),
  );

  const verb = (
    endpoint: typeof resumeCampaign | typeof pauseCampaign | typeof cancelCampaign,
    name: Verb,
  ): void =>
    mount(app, endpoint, ({ params: { id }, auth: { workspaceId }, requestId }) =>
      changeCampaign(deps, { id, verb: name, asker: { workspaceId, requestId } }),
    );
  verb(resumeCampaign, 'resume');
  verb(pauseCampaign, 'pause');
  verb(cancelCampaign, 'cancel');
}
