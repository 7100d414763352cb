import { Readable } from 'node:stream';
import { realSleep } from '@parley/kit/time';
import type { Client } from './client.ts';
import type { Target } from './next-request.ts';

/** Together longer than the drain time of a replica. */
const PARTS = 16;
const PART_EVERY_MS = 500;

/** Uploads contact lists that take eight seconds each, one after another; each must become a campaign. */
export async function uploadSlowly(client: Client, target: Target, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n += 1) {
    const body = Readable.from(parts(n, target), { objectMode: false });
    await client.send({ method: 'POST', path: '/v1/campaigns', body, expected: 201, isSlow: true });
  }
}

async function* parts(n: number, { agentId, fromNumber }: Target): AsyncGenerator<string> {
  const head = JSON.stringify({ campaign_name: `Slow ${n}`, agent_id: agentId, phone_number: fromNumber });
  yield `${head.slice(0, -1)},"contacts":[`;
  for (let part = 0; part < PARTS; part += 1) {
    await realSleep(PART_EVERY_MS);
    yield `${part === 0 ? '' : ','}{"phone_number":"+13035550${100 + part}"}`;
  }
  yield ']}';
}
