import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectService, type ServiceClient } from '@parley/kit/http';
import { eventually } from '@parley/testkit';
import { createAssistantSnapshots } from '../src/clients/assistant-snapshots.ts';
import { createWorkspaceSettings } from '../src/clients/workspace-settings.ts';
import { type Harness, newWorkspace, startHarness } from './harness.ts';

let harness: Harness;
const workspace = newWorkspace();
let nowMs = 0;
const now = () => nowMs;

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());
beforeEach(() => {
  harness.peers.assistants.restore();
  harness.peers.gateway.restore();
});

/** A new client, because its breaker counts earlier failures. */
function peerOf(name: 'assistants' | 'gateway'): ServiceClient {
  const { config, lifecycle, log } = harness.context;
  const baseUrl = name === 'assistants' ? config.ASSISTANTS_URL : config.GATEWAY_INTERNAL_URL;
  return connectService(
    { name, caller: 'telephony', baseUrl, internalTokens: harness.context.internalTokens, log },
    lifecycle,
  );
}

describe('AssistantSnapshots', () => {
  const knownVersions = new Map<string, { version: number; isDeleted: boolean }>();
  const client = () => createAssistantSnapshots(peerOf('assistants'), async () => knownVersions, now);

  it('returns the newest version, and revalidates an unchanged one', async () => {
    const snapshots = client();
    const agent = harness.peers.addAgent(workspace, { agent_name: 'First' });
    const sentBefore = harness.peers.snapshotsSent();
    expect(await snapshots.get(workspace, agent.agent_id)).toEqual(agent);
    expect(await snapshots.get(workspace, agent.agent_id)).toEqual(agent);
    expect(harness.peers.snapshotsSent() - sentBefore).toBe(1);
    const changed = harness.peers.addAgent(workspace, { ...agent, agent_name: 'Second', version: 2 });
    expect(await snapshots.get(workspace, agent.agent_id)).toEqual(changed);
  });

  it('caches up to 8 MiB, the most recently used ones', async () => {
    const snapshots = client();
    const agents = Array.from({ length: 4 }, () =>
      harness.peers.addAgent(workspace, { config: { systemPrompt: 'x'.repeat(2_500_000) } }),
    );
    const sentBefore = harness.peers.snapshotsSent();
    for (const { agent_id } of agents) await snapshots.get(workspace, agent_id);
    for (const { agent_id } of agents.toReversed()) await snapshots.get(workspace, agent_id);
    // The first entry was evicted.
    expect(harness.peers.snapshotsSent() - sentBefore).toBe(5);
  });

  it('returns null for an assistant of another workspace, an unknown one, and a deleted one', async () => {
    const snapshots = client();
    const agent = harness.peers.addAgent(workspace);
    expect(await snapshots.get(newWorkspace(), agent.agent_id)).toBeNull();
    expect(await snapshots.get(workspace, randomUUID())).toBeNull();
    await snapshots.get(workspace, agent.agent_id);
    harness.peers.removeAgent(agent.agent_id);
    expect(await snapshots.get(workspace, agent.agent_id)).toBeNull();
    harness.peers.assistants.cut();
    await expect(snapshots.get(workspace, agent.agent_id)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  it('returns a copy of up to 10 minutes while assistants is unavailable, and not for longer', async () => {
    const snapshots = client();
    const agent = harness.peers.addAgent(workspace);
    nowMs = 0;
    await snapshots.get(workspace, agent.agent_id);
    harness.peers.assistants.cut();
    nowMs = 600_000;
    expect(await snapshots.get(workspace, agent.agent_id)).toEqual(agent);
    nowMs = 600_001;
    await expect(snapshots.get(workspace, agent.agent_id)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    harness.peers.assistants.restore();
    await eventually(async () => expect(await snapshots.get(workspace, agent.agent_id)).toEqual(agent));
  });
});

describe('AssistantSnapshots, while assistants is unavailable', () => {
  const known = { version: 1, isDeleted: false };
  const away = async () => {
    const agent = harness.peers.addAgent(workspace);
    const knownVersions = new Map([[agent.agent_id, known]]);
    const snapshots = createAssistantSnapshots(peerOf('assistants'), async () => knownVersions, now);
    await snapshots.get(workspace, agent.agent_id);
    harness.peers.assistants.cut();
    const setKnown = (more: Partial<typeof known>) =>
      knownVersions.set(agent.agent_id, { ...known, ...more });
    return { agent, get: () => snapshots.get(workspace, agent.agent_id), setKnown };
  };

  it('return no copy once assistant.updated has announced a newer version', async () => {
    const { agent, get, setKnown } = await away();
    expect(await get()).toEqual(agent);
    setKnown({ version: 2 });
    await expect(get()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const changed = harness.peers.addAgent(workspace, { ...agent, version: 2 });
    harness.peers.assistants.restore();
    await eventually(async () => expect(await get()).toEqual(changed));
  });

  it('know that an assistant is deleted after assistant.deleted', async () => {
    const { get, setKnown } = await away();
    setKnown({ version: 2, isDeleted: true });
    expect(await get()).toBeNull();
  });
});

describe('WorkspaceSettings', () => {
  const client = () => createWorkspaceSettings(peerOf('gateway'), now);

  it('reloads after a second', async () => {
    const settings = client();
    const of = newWorkspace();
    nowMs = 0;
    harness.peers.setSettings(of, { rate_cents: 1, max_live_calls: 1 });
    expect(await settings.get(of)).toMatchObject({ rateCents: 1, maxLiveCalls: 1 });
    harness.peers.setSettings(of, { rate_cents: 2, max_live_calls: 2 });
    nowMs = 999;
    expect(await settings.get(of)).toMatchObject({ rateCents: 1 });
    nowMs = 1_000;
    expect(await settings.get(of)).toMatchObject({ rateCents: 2, maxLiveCalls: 2 });
  });

  it('uses the last ones while the gateway is unavailable, and has none of an unknown workspace', async () => {
    const settings = client();
    const of = newWorkspace();
    nowMs = 0;
    await settings.get(of);
    harness.peers.gateway.cut();
    nowMs = 86_400_000;
    expect(await settings.get(of)).toMatchObject({ rateCents: 10, maxLiveCalls: 20 });
    await expect(settings.get(newWorkspace())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
