import type { Amqp } from '@parley/kit/amqp';
import { monotonicMs } from '@parley/kit/time';
import { readChange, WATCHED, workspaceOf } from './read-change.ts';
import { createWorkspaceFeed, type Subscriber, type WorkspaceFeed } from './workspace-feed.ts';

/** A feed without pages is kept for those that reconnect. */
const IDLE_MS = 120_000;

export type Feeds = {
  /** `resumeFrom`: the id of the last received event. Returns the unsubscribe function. */
  subscribe(workspaceId: string, subscriber: Subscriber, resumeFrom: string | undefined): () => void;
  count(workspaceId: string): number;
  /** False while the broker is unavailable: changes are missed. True at the start, until the first connection fails. */
  isLive(): boolean;
  /** Calls back when it is not live any more. */
  onLost(listener: () => void): void;
};

/** The feeds of the workspaces with open pages in this process, from the broker's messages [dashboard.6]. */
export function createFeeds(amqp: Pick<Amqp, 'watch'>): Feeds {
  const feeds = new Map<string, { feed: WorkspaceFeed; usedMs: number }>();
  const listeners: (() => void)[] = [];
  let isLive = true;

  const removeIdle = (): void => {
    for (const [id, { feed, usedMs }] of feeds)
      if (feed.size() === 0 && monotonicMs() - usedMs > IDLE_MS) feeds.delete(id);
  };

  amqp.watch({
    types: WATCHED,
    onConnected: () => {
      isLive = true;
      for (const { feed } of feeds.values()) feed.reset();
    },
    onLost: () => {
      if (!isLive) return;
      isLive = false;
      for (const listener of listeners) listener();
    },
    onMessage: (body) => {
      if (feeds.size === 0) return;
      const workspaceId = workspaceOf(body);
      if (workspaceId !== undefined && !feeds.has(workspaceId)) return;
      const read = readChange(body);
      if (read) feeds.get(read.workspaceId)?.feed.add(read.changes, read.more);
    },
  });

  return {
    isLive: () => isLive,
    onLost: (listener) => void listeners.push(listener),
    count: (workspaceId) => feeds.get(workspaceId)?.feed.size() ?? 0,
    subscribe: (workspaceId, subscriber, resumeFrom) => {
      removeIdle();
      const open = feeds.get(workspaceId) ?? { feed: createWorkspaceFeed(), usedMs: 0 };
      feeds.set(workspaceId, open);
      const sinceMs =
        resumeFrom !== undefined && /^\d{1,15}$/.test(resumeFrom) ? Number(resumeFrom) : undefined;
      const leave = open.feed.subscribe(subscriber, sinceMs ?? (resumeFrom === undefined ? undefined : 0));
      return () => {
        leave();
        open.usedMs = monotonicMs();
      };
    },
  };
}
