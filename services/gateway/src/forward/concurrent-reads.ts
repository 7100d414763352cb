import type { ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { createKeyedLimiter, type ReleaseSlot } from '@parley/kit/concurrency';
import { shareOf } from '@parley/kit/http';
import { networkOf } from '@parley/kit/outbound';
import { type Client, createDownloads, type DownloadOptions, type Visitor } from './downloads.ts';

/** Concurrent reads in this process, until their responses have been sent; further ones wait. Of one workspace: */
const MAX_READS = 16;
/** Of visitors of one network, in which there may be many, and with one token. */
const MAX_PER_NETWORK = 16;
const MAX_PER_TOKEN = 4;
const MAX_WAITING_READS = 200;

export type ConcurrentReads = {
  /**
   * Waits for a slot among the requests of this kind of the workspace, or of its public keys [trust.8], or of the visitor. Throws
   * `429 RATE_LIMITED`. Undefined for unbounded kinds.
   */
  acquire(endpoint: AnyEndpoint, client: Client, res: ServerResponse): Promise<ReleaseSlot | undefined>;
};

/** Whether clients download it: as large as it is, and as slowly as they like. Not a streamed answer, for which the service works. */
export function isFile({ envelope, response, answersWithinMs }: AnyEndpoint): boolean {
  return envelope === 'bare' && !response && answersWithinMs === undefined;
}

/** Bounds the concurrent reads of each workspace and visitor, so that none occupies all connections [trust.1]. */
export function createConcurrentReads(downloads?: DownloadOptions): ConcurrentReads {
  const reads = createKeyedLimiter({ concurrency: MAX_READS, maxQueued: MAX_WAITING_READS });
  const perNetwork = createKeyedLimiter({ concurrency: MAX_PER_NETWORK, maxQueued: MAX_WAITING_READS });
  const perToken = createKeyedLimiter({ concurrency: MAX_PER_TOKEN, maxQueued: MAX_WAITING_READS });
  const download = createDownloads(downloads);

  const acquireAsVisitor = async ({ address, link }: Visitor, gone: AbortSignal): Promise<ReleaseSlot> => {
    const leaveToken = link === undefined ? undefined : await perToken.acquire(link, gone);
    try {
      const leaveNetwork = await perNetwork.acquire(networkOf(address), gone);
      return () => {
        leaveToken?.();
        leaveNetwork();
      };
    } catch (err) {
      leaveToken?.();
      throw err;
    }
  };

  return {
    acquire: async (endpoint, client, res) => {
      const isRead = endpoint.method === 'GET' || endpoint.readsOnly === true;
      if (!isRead || endpoint.answersWithinMs !== undefined) return undefined;
      // It waited for its limits or its body, and no event follows: it must take no place of others.
      if (res.closed) throw new Error('The client disconnected');
      if (isFile(endpoint)) return download(client, res);
      const gone = new AbortController();
      const onClose = (): void => gone.abort(new Error('The client disconnected'));
      res.once('close', onClose);
      try {
        if (!client.auth) return await acquireAsVisitor(client, gone.signal);
        return await reads.acquire(shareOf(client.auth), gone.signal);
      } finally {
        res.off('close', onClose);
      }
    },
  };
}
