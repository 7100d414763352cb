import { Readable } from 'node:stream';
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
import { type App, mount } from '@parley/kit/http';
import { type AppendDeps, appendContacts } from '../domain/append-contacts.ts';
import { type ChangeDeps, changeCampaign } from '../domain/change-campaign.ts';
import { type CreateDeps, createCampaign } from '../domain/create-campaign.ts';
import { downloadContacts } from '../domain/download-contacts.ts';
import { type ExplainDeps, explainCampaign } from '../domain/explain-campaign.ts';
import { getCampaign, listCampaigns, listContacts } from '../domain/read-campaigns.ts';
import type { Verb } from '../domain/transition.ts';

export function mountCampaigns(app: App, deps: CreateDeps & ChangeDeps & AppendDeps & ExplainDeps): void {
  mount(app, createEndpoint, ({ body, auth: { workspaceId }, requestId, idempotency }) =>
    createCampaign(deps, { body, idempotency, asker: { workspaceId, requestId } }),
  );
  mount(app, getEndpoint, ({ params: { id }, auth: { workspaceId } }) =>
    getCampaign(deps, { workspaceId, id }),
  );
  mount(app, explainEndpoint, ({ params: { id }, auth: { workspaceId }, requestId }) =>
    explainCampaign(deps, { id, asker: { workspaceId, requestId } }),
  );
  mount(app, listEndpoint, ({ query: { agent_id: agentId, ...filter }, auth: { workspaceId } }) =>
    listCampaigns(deps, { ...filter, agentId, workspaceId }),
  );
  mount(app, contactsEndpoint, ({ params: { id }, query, auth: { workspaceId } }) =>
    listContacts(deps, { ...query, workspaceId, id }),
  );

  mount(app, appendEndpoint, ({ params: { id }, body, auth: { workspaceId }, requestId, idempotency }) =>
    appendContacts(deps, { id, body, idempotency, asker: { workspaceId, requestId } }),
  );
  mount(app, downloadEndpoint, async ({ params: { id }, auth: { workspaceId } }) => {
    const { fileName, text } = await downloadContacts(deps, { workspaceId, id });
    return {
      contentType: 'text/csv; charset=utf-8; header=present',
      headers: { 'content-disposition': `attachment; filename="${fileName}"` },
      body: Readable.from(text, { objectMode: false }),
    };
  });

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
