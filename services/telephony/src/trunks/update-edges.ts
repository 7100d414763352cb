import type { Log } from '@parley/kit/log';
import type { SecretBox } from '@parley/kit/secrets';
import { z } from 'zod';
import { createFindEdges } from '../carriers/sip/signalling/find-edges.ts';
import { addressesPlace } from './termination.ts';
import type { Terminations } from './terminations.store.ts';

/** Per request: the time that the edge needs for a list grows faster than the list. */
const ADDRESSES_PER_REQUEST = 200;
/** The edge drops an address after three minutes. */
const REPEAT_AFTER_MS = 60_000;
const TIMEOUT_MS = 3_000;

const addressList = z.array(z.string());

export type UpdateEdgesDeps = {
  /** Current base URLs of the edges' internal listeners. */
  edges: () => Promise<readonly string[]>;
  terminations: Pick<Terminations, 'edition' | 'addresses'>;
  secrets: Pick<SecretBox, 'open'>;
  nowMs(): number;
  log: Log;
};

/**
 * Sends the addresses of all trunks to every edge [sip.30]: when they have changed, when an edge has restarted, and each minute. An
 * edge that does not respond is retried later.
 */
export function createUpdateEdges({
  edges,
  terminations,
  secrets,
  nowMs,
  log,
}: UpdateEdgesDeps): () => Promise<void> {
  const sent = new Map<string, { edition: string; atMs: number }>();

  const list = async (): Promise<string[]> => {
    const rows = await terminations.addresses();
    const found = rows.flatMap(({ id, sealed }) =>
      addressList.parse(JSON.parse(secrets.open(sealed, addressesPlace(id)))),
    );
    return [...new Set(found)].sort();
  };

  const update = async (edge: string, edition: string): Promise<void> => {
    const before = sent.get(edge);
    const isCurrent = before?.edition === edition && nowMs() - before.atMs < REPEAT_AFTER_MS;
    if (isCurrent && (await hasAny(edge))) return;
    const addresses = await list();
    for (let from = 0; from < addresses.length; from += ADDRESSES_PER_REQUEST)
      await put(edge, addresses.slice(from, from + ADDRESSES_PER_REQUEST));
    sent.set(edge, { edition, atMs: nowMs() });
  };

  return async () => {
    const edition = await terminations.edition();
    // There are no addresses, so the edge could not have lost any.
    if (edition === '') return;
    const current = await edges();
    for (const edge of sent.keys()) if (!current.includes(edge)) sent.delete(edge);
    await Promise.all(
      current.map((edge) =>
        update(edge, edition).catch((err: unknown) => {
          if (sent.delete(edge))
            log.warn({ err, edge }, 'the addresses of trunks could not be sent to the SIP edge');
        }),
      ),
    );
  };
}

/** Whether the edge has any addresses; after a restart it has none. */
async function hasAny(edge: string): Promise<boolean> {
  const response = await fetch(`${edge}/sources`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.body?.cancel();
  return response.ok;
}

async function put(edge: string, addresses: readonly string[]): Promise<void> {
  const response = await fetch(`${edge}/sources`, {
    method: 'PUT',
    body: addresses.join(','),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The edge responded ${response.status}`);
}

/** The edges of these WebSocket URLs, every address of each (`ws://edge:5066`), as their HTTP addresses. */
export function edgeAddresses(urls: readonly string[]): () => Promise<readonly string[]> {
  const findEdges = createFindEdges(urls);
  return async () => (await findEdges()).map(({ url }) => url.replace(/^ws/, 'http'));
}
