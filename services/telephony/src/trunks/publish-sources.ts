import type { Log } from '@parley/kit/log';
import type { SecretBox } from '@parley/kit/secrets';
import { z } from 'zod';
import { createFindEdges } from '../carriers/sip/signalling/find-edges.ts';
import { addressesPlace } from './termination.ts';
import type { Terminations } from './terminations.store.ts';

/** Per request: the time that the edge needs for a list grows faster than the list. */
const ADDRESSES_PER_REQUEST = 200;
/** Of a workspace: the edge holds the addresses of all. */
const MAX_ADDRESSES_OF_A_WORKSPACE = 512;
/** The edge drops an address after three minutes. */
const REPEAT_AFTER_MS = 60_000;
const TIMEOUT_MS = 3_000;

const addressList = z.array(z.string());

export type PublishSourcesDeps = {
  /** Current base URLs of the edges' internal listeners. */
  edges: () => Promise<readonly string[]>;
  terminations: Pick<Terminations, 'edition' | 'addresses'>;
  secrets: Pick<SecretBox, 'open'>;
  /** Gets the addresses with their workspaces whenever they have changed, for workers that trunks call without an edge. */
  knowTrunks?: ((owners: ReadonlyMap<string, ReadonlySet<string>>) => void) | undefined;
  nowMs(): number;
  log: Log;
};

/**
 * Sends the addresses of all trunks to every edge [sip.30]: when they have changed, when an edge has restarted, and each minute. An
 * edge that does not respond is retried later.
 */
export function createPublishSources({
  edges,
  terminations,
  secrets,
  knowTrunks,
  nowMs,
  log,
}: PublishSourcesDeps): () => Promise<void> {
  let known: string | undefined;
  const published = new Map<string, { edition: string; atMs: number }>();

  /** The workspaces of each address. */
  const read = async (): Promise<Map<string, Set<string>>> => {
    const byWorkspace = new Map<string, Set<string>>();
    const cut = new Set<string>();
    for (const { id, workspaceId, sealed } of await terminations.addresses()) {
      const known = byWorkspace.get(workspaceId) ?? new Set();
      byWorkspace.set(workspaceId, known);
      for (const address of addressList.parse(JSON.parse(secrets.open(sealed, addressesPlace(id)))))
        if (known.size < MAX_ADDRESSES_OF_A_WORKSPACE) known.add(address);
        else if (!known.has(address)) cut.add(workspaceId);
    }
    for (const workspaceId of cut)
      log.warn(
        { workspaceId },
        'a workspace has too many addresses of trunks: calls from some are not taken',
      );
    const owners = new Map<string, Set<string>>();
    for (const [workspaceId, addresses] of byWorkspace)
      for (const address of addresses)
        owners.set(address, (owners.get(address) ?? new Set()).add(workspaceId));
    return owners;
  };

  const publish = async (edge: string, edition: string): Promise<void> => {
    const before = published.get(edge);
    const isCurrent = before?.edition === edition && nowMs() - before.atMs < REPEAT_AFTER_MS;
    if (isCurrent && (await hasSources(edge))) return;
    const addresses = [...(await read()).keys()].sort();
    for (let from = 0; from < addresses.length; from += ADDRESSES_PER_REQUEST)
      await put(edge, addresses.slice(from, from + ADDRESSES_PER_REQUEST));
    published.set(edge, { edition, atMs: nowMs() });
  };

  return async () => {
    const edition = await terminations.edition();
    if (knowTrunks && edition !== known) {
      knowTrunks(await read());
      known = edition;
    }
    // There are no addresses, so the edge could not have lost any.
    if (edition === '') return;
    const current = await edges();
    for (const edge of published.keys()) if (!current.includes(edge)) published.delete(edge);
    await Promise.all(
      current.map((edge) =>
        publish(edge, edition).catch((err: unknown) => {
          if (published.delete(edge))
            log.warn({ err, edge }, 'the addresses of trunks could not be sent to the SIP edge');
        }),
      ),
    );
  };
}

/** Whether the edge has a list; after a restart it has none. */
async function hasSources(edge: string): Promise<boolean> {
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
