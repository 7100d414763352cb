import type { IncomingHttpHeaders } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { bodyLimitOf } from '@parley/kit/http';
import type { Bucket } from './bucket.ts';

/*
 * A request takes 1 token, plus 1 for each 64 KiB of its body. A streamed upload takes 1 token of requests, and its
 * bytes from a bucket of their own: it may begin while that is not overdrawn, and is charged afterwards. So one
 * upload of any size is always possible, and the rate holds over many.
 */

const TOKEN_BYTES = 64 * 1024;
const MIB = 1024 ** 2;
const MINUTE_MS = 60_000;
/** Burst of uploads. */
const UPLOAD_BURST_MIB = 1024;
/** Minimum cost of a chunk, in bytes: handling small ones costs as much. */
const MIN_CHUNK_BYTES = 64;

/** The arrived part of a body, and its number of chunks. */
export type Arrived = { bytes: number; pieces: number };

/** Tokens for the announced Content-Length, in addition to that of the request. */
export function announcedTokens(headers: IncomingHttpHeaders, endpoint: AnyEndpoint | undefined): number {
  if (!endpoint || endpoint.body === 'stream') return 0;
  // A larger body is rejected unread.
  return tokensOf(Math.min(Number(headers['content-length'] ?? 0), bodyLimitOf(endpoint)));
}

/** Adds the cost of the body to the buckets. */
export function weighed(buckets: readonly Bucket[], tokens: number): Bucket[] {
  if (tokens === 0) return [...buckets];
  return buckets.map((bucket) => (bucket.byWeight ? { ...bucket, cost: 1 + tokens } : bucket));
}

export function bucketOfUploads(
  workspaceId: string,
  { uploadMibPerMinute }: { uploadMibPerMinute: number },
): Bucket {
  const intervalMs = MINUTE_MS / uploadMibPerMinute;
  return { key: `${workspaceId}:uploads`, intervalMs, burst: UPLOAD_BURST_MIB };
}

/** Charges for the unannounced part of a body, after it has arrived or was interrupted. */
export function chargesFor(
  buckets: readonly Bucket[],
  arrived: Arrived,
  chargedTokens: number,
  isUpload: boolean,
): Bucket[] {
  const bytes = Math.max(arrived.bytes, arrived.pieces * MIN_CHUNK_BYTES);
  const cost = isUpload ? Math.floor(bytes / MIB) : tokensOf(bytes) - chargedTokens;
  if (cost <= 0) return [];
  const isCharged = (bucket: Bucket): boolean =>
    isUpload ? bucket.key.endsWith(':uploads') : bucket.byWeight === true;
  return buckets.filter(isCharged).map((bucket) => ({ ...bucket, cost }));
}

function tokensOf(bytes: number): number {
  return Math.floor(bytes / TOKEN_BYTES);
}
