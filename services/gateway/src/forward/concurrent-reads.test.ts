import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { listVoices } from '@parley/contracts';
import type { Auth } from '@parley/kit/http';
import { createConcurrentReads } from './concurrent-reads.ts';

it('reads of public keys take no slot of private keys [trust.8]', async () => {
  const reads = createConcurrentReads();
  const acquire = (kind: Auth['actor']['kind']) =>
    reads.acquire(
      listVoices,
      { auth: { workspaceId: 'workspace', actor: { kind, id: 'id' } } },
      new EventEmitter() as ServerResponse,
    );
  for (let n = 0; n < 16; n += 1) await acquire('public_key');
  expect(
    await Promise.race([acquire('key'), new Promise((resolve) => setTimeout(resolve, 100, 'waits'))]),
  ).toEqual(expect.any(Function));
  expect(
    await Promise.race([acquire('public_key'), new Promise((resolve) => setTimeout(resolve, 100, 'waits'))]),
  ).toBe('waits');
});
