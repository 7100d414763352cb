import { randomUUID } from 'node:crypto';
import {
  type AssistantSnapshot,
  findSuspendedWorkspaces,
  getAssistantBriefs,
  getAssistantSnapshot,
  getWorkspaceSettings,
  liftRetirement,
  type ResponseOf,
  retireFromCampaigns,
} from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { createApp, type InternalTokens, listen, mount } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { type FaultProxy, faultProxy } from '../fault-proxy.ts';
import { type FakeKnowledge, fakeKnowledge } from './knowledge.ts';

type FakeCampaign = ResponseOf<typeof retireFromCampaigns>['blocked_by'];

type FakeSettings = {
  time_zone?: string;
  currency?: string;
  rate_cents: number;
  max_live_calls: number;
  webhook_secrets: string[];
  suspended?: boolean;
  allowed_destinations?: string[];
  daily_spend_limit_cents?: number | null;
};

/** Fakes of assistants and gateway for telephony: they serve the endpoints of the contract from these maps. */
export type FakePeersOfTelephony = {
  /** A proxy in front of each of them: `cut()` makes it unavailable. */
  assistants: FaultProxy;
  gateway: FaultProxy;
  campaigns: FaultProxy;
  /** Adds an assistant to the workspace; returns its snapshot, whose fields may be changed (then increment `version`). */
  addAgent(workspaceId: string, agent?: Partial<AssistantSnapshot>): AssistantSnapshot;
  removeAgent(agentId: string): void;
  /** Requests for its snapshot fail, all others succeed. */
  breakSnapshot(agentId: string): void;
  /** Settings of workspaces with other values than the defaults (10 cents, 20 calls). */
  setSettings(workspaceId: string, settings: Partial<FakeSettings>): void;
  knowledge: FakeKnowledge;
  /** The campaign that blocks the retirement of an assistant or a number; null for none. */
  setBlocker(id: string, campaign: FakeCampaign | null): void;
  /** Received retirements. */
  retired: string[];
  /** Retirements that were lifted. */
  lifted: string[];
  /** Complete snapshots sent, as opposed to confirmed versions. */
  snapshotsSent(): number;
  close(): Promise<void>;
};

const SETTINGS: FakeSettings = {
  rate_cents: 10,
  max_live_calls: 20,
  webhook_secrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
};

type Deps = { internalTokens: InternalTokens; log: Log; lifecycle: Lifecycle };

export async function fakePeersOfTelephony({
  internalTokens,
  log,
  lifecycle,
}: Deps): Promise<FakePeersOfTelephony> {
  const agents = new Map<string, { workspaceId: string; snapshot: AssistantSnapshot }>();
  const settings = new Map<string, FakeSettings>();
  const blockers = new Map<string, FakeCampaign>();
  const retired: string[] = [];
  const lifted: string[] = [];
  const broken = new Set<string>();
  let sent = 0;

  const app = createApp({
    service: 'peers',
    log,
    metrics: createMetrics('peers'),
    internalTokens,
    readiness: async () => {},
  });
  mount(app, getWorkspaceSettings, ({ params }) => ({
    workspace_id: params.id,
    ...(settings.get(params.id) ?? SETTINGS),
  }));
  mount(app, findSuspendedWorkspaces, ({ body }) => ({
    suspended: body.workspace_ids.filter((id) => settings.get(id)?.suspended),
  }));
  mount(app, getAssistantBriefs, ({ auth, body }) =>
    body.agent_ids.flatMap((id) => {
      const agent = agents.get(id.toLowerCase());
      return agent?.workspaceId === auth.workspaceId ? [agent.snapshot] : [];
    }),
  );
  mount(app, getAssistantSnapshot, ({ auth, params, query }) => {
    const agent = agents.get(params.id.toLowerCase());
    if (agent?.workspaceId !== auth.workspaceId) throw notFound('Assistant');
    if (broken.has(params.id.toLowerCase())) throw new Error('its secrets cannot be decrypted');
    const { snapshot } = agent;
    const known = query.known_version === snapshot.version;
    if (!known) sent += 1;
    return { version: snapshot.version, snapshot: known ? null : snapshot };
  });

  mount(app, retireFromCampaigns, ({ body }) => {
    retired.push(body.id);
    return { blocked_by: blockers.get(body.id) ?? null, receipt: '7' };
  });
  mount(app, liftRetirement, ({ body }) => {
    lifted.push(body.id);
    return { lifted: true };
  });

  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
  const assistants = await faultProxy(`http://127.0.0.1:${port}`);
  const gateway = await faultProxy(`http://127.0.0.1:${port}`);
  const campaigns = await faultProxy(`http://127.0.0.1:${port}`);
  return {
    assistants,
    gateway,
    campaigns,
    retired,
    lifted,
    setBlocker: (id, campaign) => void blockers.set(id, campaign),
    addAgent: (workspaceId, agent = {}) => {
      const snapshot = { ...blankAgent(), ...agent };
      agents.set(snapshot.agent_id, { workspaceId, snapshot });
      return snapshot;
    },
    knowledge: fakeKnowledge(app),
    breakSnapshot: (agentId) => void broken.add(agentId),
    removeAgent: (agentId) => void agents.delete(agentId),
    setSettings: (workspaceId, changed) => void settings.set(workspaceId, { ...SETTINGS, ...changed }),
    snapshotsSent: () => sent,
    close: async () => {
      await assistants.close();
      await gateway.close();
      await campaigns.close();
    },
  };
}

/** Longer than in production: half a minute is less than a second at the clock rates of these tests. */
function blankAgent(): AssistantSnapshot {
  const settings = {
    maxCallDuration: 3600,
    silenceTimeout: 300,
    ringTimeout: 120,
    recording: { enabled: true },
    voicemail: { detection: true, action: 'hangup', message: '' },
    postCallAnalysis: { enabled: true, fields: [] },
  };
  return {
    agent_id: randomUUID(),
    agent_name: 'Ada',
    version: 1,
    webhook_url: null,
    agent_type: 'Single Prompt',
    config: {
      systemPrompt: 'You are a polite assistant.',
      firstMessage: 'Hello, how can I help you?',
      language: 'en-US',
      model: { provider: 'builtin', name: 'scripted-1', temperature: 0.3 },
      voice: { voiceId: 'aria', speed: 1 },
      settings,
      toolIds: [],
      kbStoreIds: [],
      fileSearchStoreIds: [],
      nativeTools: {},
    },
    tools: [],
  };
}
