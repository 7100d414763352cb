import type { ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { createKeyedLimiter, type ReleaseSlot } from '@parley/kit/concurrency';

/** Concurrent reads of one workspace in this process, until their responses have been sent; further ones wait. */
const MAX_READS = 16;
const MAX_WAITING_READS = 200;
/** File downloads may be slow: they have a limit of their own, above which they are rejected. */
const MAX_FILES = 8;

export type ConcurrentReads = {
  /** Waits for a slot among the workspace's requests of this kind. Throws `429 RATE_LIMITED`. Undefined for unbounded kinds. */
  acquire(endpoint: AnyEndpoint, workspaceId: string, res: ServerResponse): Promise<ReleaseSlot | undefined>;
};

/** Bounds the concurrent reads of each workspace, so that none occupies all connections [trust.1]. */
export function createConcurrentReads(): ConcurrentReads {
  const reads = createKeyedLimiter({ concurrency: MAX_READS, maxQueued: MAX_WAITING_READS });
  const files = createKeyedLimiter({ concurrency: MAX_FILES });
  return {
    acquire: async (endpoint, workspaceId, res) => {
      const isRead = endpoint.method === 'GET' || endpoint.readsOnly === true;
      if (!isRead || endpoint.answersWithinMs !== undefined) return undefined;
      const isFile = endpoint.envelope === 'bare' && !endpoint.response;
      const gone = new AbortController();
      const onClose = (): void => gone.abort(new Error('The client disconnected'));
      res.once('close', onClose);
      try {
        return await (isFile ? files : reads).acquire(workspaceId, gone.signal);
      } finally {
        res.off('close', onClose);
      }
    },
  };
}
