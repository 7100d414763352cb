import {
  appendContacts as appendEndpoint,
  cancelCampaign,
  listContacts as contactsEndpoint,
  createCampaign as createEndpoint,
  downloadContacts as downloadEndpoint,
  explainCampaign as explainEndpoint,
  getCampaign as getEndpoint,
  listCampaigns as listEndpoint,
  pauseCampaign,
  resumeCampaign,
} from '@parley/contracts';
import { type App, agentIdsOf, mount } from '@parley/kit/http';
import { type AppendDeps, appendContacts } from '../contacts/append-contacts.ts';
import type { ContactStore } from '../contacts/contacts.store.ts';
import { downloadContacts } from '../contacts/download-contacts.ts';
import { type ExplainDeps, explainCampaign } from '../explain/explain-campaign.ts';
import { type ChangeDeps, changeCampaign } from './change-campaign.ts';
import { type CreateDeps, createCampaign } from './create-campaign.ts';
import { getCampaign, listCampaigns, listContacts } from './read-campaigns.ts';
import type { Verb } from './transition.ts';

type Deps = CreateDeps & ChangeDeps & AppendDeps & ExplainDeps & { contacts: ContactStore };

export function mountCampaigns(app: App, deps: Deps): void {
  mount(app, createEndpoint, ({ body, auth, requestId, idempotency }) =>
    createCampaign(deps, { body, idempotency, auth, context: { workspaceId: auth.workspaceId, requestId } }),
  );
  mount(app, getEndpoint, ({ params: { id }, auth: { workspaceId } }) =>
    getCampaign(deps, { workspaceId, id }),
  );
  mount(app, explainEndpoint, ({ params: { id }, auth: { workspaceId }, requestId }) =>
    explainCampaign(deps, { id, context: { workspaceId, requestId } }),
  );
  mount(app, listEndpoint, ({ query: { agent_id: agentId, ...filter }, auth }) =>
    listCampaigns(deps, { ...filter, agentId, within: agentIdsOf(auth), workspaceId: auth.workspaceId }),
  );
  mount(app, contactsEndpoint, ({ params: { id }, query, auth: { workspaceId } }) =>
    listContacts(deps, { ...query, workspaceId, id }),
  );

  mount(app, appendEndpoint, ({ params: { id }, body, auth: { workspaceId }, requestId, idempotency }) =>
    appendContacts(deps, { id, body, idempotency, context: { workspaceId, requestId } }),
  );
  mount(app, downloadEndpoint, async ({ params: { id }, auth: { workspaceId } }) => {
    const { fileName, text } = await downloadContacts(deps, { workspaceId, id });
    return {
      contentType: 'text/csv; charset=utf-8; header=present',
      headers: { 'content-disposition': `attachment; filename="${fileName}"` },
      body: text,
    };
  });

  const verb = (
    endpoint: typeof resumeCampaign | typeof pauseCampaign | typeof cancelCampaign,
    name: Verb,
  ): void =>
    mount(app, endpoint, ({ params: { id }, auth: { workspaceId }, requestId }) =>
      changeCampaign(deps, { id, verb: name, context: { workspaceId, requestId } }),
    );
  verb(resumeCampaign, 'resume');
  verb(pauseCampaign, 'pause');
  verb(cancelCampaign, 'cancel');
}
