import type { ServerResponse } from 'node:http';
import { createKeyedLimiter, type ReleaseSlot } from '@parley/kit/concurrency';
import { AppError } from '@parley/kit/errors';
import { type Auth, disconnect, shareOf } from '@parley/kit/http';
import { networkOf } from '@parley/kit/outbound';
import { monotonicMs } from '@parley/kit/time';

/** A caller without a key: the client address, and the link or token of the route, if it has one. */
export type Visitor = { auth: null; address: string; link: string | undefined };
export type Client = { auth: Auth } | Visitor;

/** Concurrent downloads of a workspace's keys, of one network and of one link; further ones are rejected. */
const MAX_PER_WORKSPACE = 8;
const MAX_PER_NETWORK = 8;
const MAX_PER_LINK = 4;
/** Of all clients in this process; fewer than the connections for them. */
const MAX_DOWNLOADS = 112;
/** When there are too many, the slowest gives way if it is slower than this, over that time. Clients can resume by `Range`. */
const SLOW_BYTES_PER_MS = 64;
const SLOW_FOR_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

export type DownloadOptions = {
  /** How long a download must have been slow before it gives way; for tests. */
  slowForMs?: number;
};

/** `bytesPerMs`: of the last sample; sockets take the first megabytes at once, however slow their reader is. */
type Download = { res: ServerResponse; sampledMs: number; bytes: number; bytesPerMs: number };

/** Bounds concurrent downloads, which clients may read slowly [trust.1]. Throws `429 RATE_LIMITED`. */
export function createDownloads({
  slowForMs = SLOW_FOR_MS,
}: DownloadOptions = {}): (client: Client, res: ServerResponse) => ReleaseSlot {
  const perWorkspace = createKeyedLimiter({ concurrency: MAX_PER_WORKSPACE });
  const perNetwork = createKeyedLimiter({ concurrency: MAX_PER_NETWORK });
  const perLink = createKeyedLimiter({ concurrency: MAX_PER_LINK });
  const running = new Set<Download>();

  const enter = (res: ServerResponse): ReleaseSlot => {
    sample(running, slowForMs);
    if (running.size >= MAX_DOWNLOADS && !dropSlowest(running)) throw tooMany();
    const bytes = bytesOf(res);
    const download: Download = { res, sampledMs: monotonicMs(), bytes, bytesPerMs: Number.POSITIVE_INFINITY };
    running.add(download);
    return () => running.delete(download);
  };

  return (client, res) => {
    const slots: ReleaseSlot[] = [];
    const release = (): void => {
      for (const leave of slots) leave();
    };
    try {
      if (client.auth) slots.push(perWorkspace.acquireNow(shareOf(client.auth)));
      else {
        slots.push(perNetwork.acquireNow(networkOf(client.address)));
        if (client.link !== undefined) slots.push(perLink.acquireNow(client.link));
      }
      slots.push(enter(res));
    } catch (err) {
      release();
      throw err;
    }
    return release;
  };
}

const bytesOf = ({ socket }: ServerResponse): number => socket?.bytesWritten ?? 0;

function sample(running: ReadonlySet<Download>, slowForMs: number): void {
  const nowMs = monotonicMs();
  for (const download of running) {
    const passedMs = nowMs - download.sampledMs;
    if (passedMs < slowForMs) continue;
    const bytes = bytesOf(download.res);
    Object.assign(download, { sampledMs: nowMs, bytes, bytesPerMs: (bytes - download.bytes) / passedMs });
  }
}

function dropSlowest(running: Set<Download>): boolean {
  const slow = [...running].filter(({ bytesPerMs }) => bytesPerMs < SLOW_BYTES_PER_MS);
  const [slowest] = slow.sort((a, b) => a.bytesPerMs - b.bytesPerMs);
  if (!slowest) return false;
  running.delete(slowest);
  disconnect(slowest.res);
  return true;
}

function tooMany(): AppError {
  return new AppError('RATE_LIMITED', 'Too many concurrent downloads; retry after the delay in Retry-After', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
