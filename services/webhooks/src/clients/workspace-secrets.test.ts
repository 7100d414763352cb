import { expect, it } from '@jest/globals';
import type { ServiceClient } from '@parley/kit/http';
import { createWorkspaceSecrets } from './workspace-secrets.ts';

/** A gateway where every workspace has a secret of its own. */
function gateway() {
  const calls: string[] = [];
  const call = async (_endpoint: unknown, { params }: { params: { id: string } }) => {
    calls.push(params.id);
    return { webhook_secrets: [`secret of ${params.id}`] };
  };
  return { calls, peer: { call } as unknown as ServiceClient };
}

it('calls the gateway once for concurrent attempts of a workspace', async () => {
  const { calls, peer } = gateway();
  const secrets = createWorkspaceSecrets(peer);
  const all = await Promise.all(Array.from({ length: 50 }, () => secrets('a')));
  expect(all).toEqual(Array.from({ length: 50 }, () => ['secret of a']));
  expect(calls).toEqual(['a']);
});

it('caches a bounded number of workspaces, those used last', async () => {
  const { calls, peer } = gateway();
  const secrets = createWorkspaceSecrets(peer, 2);
  for (const workspace of ['a', 'b', 'c', 'c', 'b', 'a']) await secrets(workspace);
  expect(calls).toEqual(['a', 'b', 'c', 'a']);
});
