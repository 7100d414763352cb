import { expect, it } from '@jest/globals';
import type { Peer } from '@parley/kit/http';
import { createSigningSecrets } from './signing-secrets.ts';

/** A gateway that tells every workspace a secret of its own. */
function gateway() {
  const asked: string[] = [];
  const call = async (_endpoint: unknown, { params }: { params: { id: string } }) => {
    asked.push(params.id);
    return { webhook_secrets: [`secret of ${params.id}`] };
  };
  return { asked, peer: { call } as unknown as Peer };
}

it('asks once for all attempts of a workspace that want to know at the same moment', async () => {
  const { asked, peer } = gateway();
  const secrets = createSigningSecrets(peer);
  const told = await Promise.all(Array.from({ length: 50 }, () => secrets('a')));
  expect(told).toEqual(Array.from({ length: 50 }, () => ['secret of a']));
  expect(asked).toEqual(['a']);
});

it('remembers so many workspaces, those that it asked for last', async () => {
  const { asked, peer } = gateway();
  const secrets = createSigningSecrets(peer, 2);
  for (const workspace of ['a', 'b', 'c', 'c', 'b', 'a']) await secrets(workspace);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
});
