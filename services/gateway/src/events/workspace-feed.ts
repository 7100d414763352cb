import {
  type ChangedType,
  type DashboardChange,
  type DashboardChanges,
  MAX_CHANGES_PER_EVENT,
} from '@parley/contracts';
import { realNow, realTimer } from '@parley/kit/time';

export type Subscriber = { send(text: string): void };

/** Minimum interval between batches of changes. */
const FLUSH_MS = 500;
/** Delay of the first change after a quiet period. */
const FIRST_FLUSH_MS = 50;
/** Replicas get a message at slightly different times, and their clocks differ. */
const SLACK_MS = 5_000;
const KEPT_MS = 120_000;
const MAX_KEPT = 2_000;
/** Maximum size of the missed changes of a resumed stream: well below the limit of unread data. */
const MAX_RESUMED_BYTES = 128 * 1024;

type Kept = { change: DashboardChange; atMs: number };
type Batch = { changes: Map<string, DashboardChange>; more: Set<ChangedType> };

export type WorkspaceFeed = ReturnType<typeof createWorkspaceFeed>;

/**
 * The changes of one workspace: sent to its pages in batches, and remembered for two minutes so that a page can resume. Ids of events
 * are the time of this process, which every replica understands: a resumed stream repeats some changes, and misses none [dashboard.7].
 */
export function createWorkspaceFeed(nowMs = () => realNow().getTime()) {
  const subscribers = new Set<Subscriber>();
  /** By resource, the oldest first. */
  const kept = new Map<string, Kept>();
  let completeSinceMs = nowMs();
  let batch: Batch | undefined;
  let flushedAtMs = 0;

  const trim = (): void => {
    const oldestMs = nowMs() - KEPT_MS;
    for (const [key, { atMs }] of kept) {
      if (kept.size <= MAX_KEPT && atMs >= oldestMs) return;
      kept.delete(key);
      completeSinceMs = Math.max(completeSinceMs, atMs + 1);
    }
  };

  const flush = (): void => {
    if (!batch) return;
    const text = changesText({ changes: [...batch.changes.values()], more: [...batch.more] }, nowMs());
    batch = undefined;
    flushedAtMs = nowMs();
    for (const subscriber of subscribers) subscriber.send(text);
  };

  const openBatch = (): Batch => {
    if (batch) return batch;
    const sinceMs = nowMs() - flushedAtMs;
    realTimer(sinceMs >= FLUSH_MS ? FIRST_FLUSH_MS : FLUSH_MS - sinceMs, flush);
    batch = { changes: new Map(), more: new Set() };
    return batch;
  };

  const resetText = (): string => eventText('reset', {}, nowMs());

  /** Undefined: unknown, or too many. */
  const missedSince = (sinceMs: number): string[] | undefined => {
    if (sinceMs < completeSinceMs || sinceMs > nowMs() + SLACK_MS) return undefined;
    const missed = [...kept.values()].filter(({ atMs }) => atMs >= sinceMs - SLACK_MS);
    const texts: string[] = [];
    let bytes = 0;
    for (let n = 0; n < missed.length; n += MAX_CHANGES_PER_EVENT) {
      const changes = missed.slice(n, n + MAX_CHANGES_PER_EVENT).map(({ change }) => change);
      const text = changesText({ changes, more: [] }, nowMs());
      bytes += Buffer.byteLength(text);
      if (bytes > MAX_RESUMED_BYTES) return undefined;
      texts.push(text);
    }
    return texts;
  };

  return {
    size: () => subscribers.size,
    add: (changes: readonly DashboardChange[], more: readonly ChangedType[]): void => {
      const open = openBatch();
      for (const change of changes) {
        const key = `${change.type} ${change.id}`;
        kept.delete(key);
        kept.set(key, { change, atMs: nowMs() });
        if (open.changes.size < MAX_CHANGES_PER_EVENT || open.changes.has(key)) open.changes.set(key, change);
        else open.more.add(change.type);
      }
      for (const type of more) {
        open.more.add(type);
        // It has no id, so it could not be repeated.
        completeSinceMs = nowMs() + 1;
      }
      trim();
    },
    /** Call when messages may have been missed. */
    reset: (): void => {
      kept.clear();
      completeSinceMs = nowMs();
      for (const subscriber of subscribers) subscriber.send(resetText());
    },
    /** `sinceMs`: the id of the last event that the page got. */
    subscribe: (subscriber: Subscriber, sinceMs: number | undefined): (() => void) => {
      subscribers.add(subscriber);
      subscriber.send(`retry: 3000\n${eventText('ready', {}, nowMs())}`);
      if (sinceMs !== undefined)
        for (const text of missedSince(sinceMs) ?? [resetText()]) subscriber.send(text);
      return () => void subscribers.delete(subscriber);
    },
  };
}

function changesText(data: DashboardChanges, id: number): string {
  return eventText('changes', data, id);
}

/** An event of `text/event-stream`; JSON has no line breaks. */
export function eventText(event: string, data: unknown, id: number): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
