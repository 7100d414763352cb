import type { WebhookEvent } from '@parley/contracts';

export type FailedEvent = { call_id: string; event: WebhookEvent; url: string | null };

export type Tally = {
  total: number;
  delivered: number;
  /** Attempted once more; the platform goes on by itself. */
  failed: number;
  /**
   * Not attempted: the assistant has no URL any more, its endpoint still refuses everything, another person has retried the
   * event, or the call was erased.
   */
  skipped: number;
};

type Results = Readonly<Partial<Record<WebhookEvent, { ok: boolean; reason: string } | undefined>>>;

type Run = {
  /** Newest first, as they are listed. */
  events: readonly FailedEvent[];
  /** Undefined: the call no longer exists. */
  resend: (callId: string, events: WebhookEvent[]) => Promise<Results | undefined>;
  onProgress: (tally: Tally) => void;
  /** What was begun is finished. */
  signal: AbortSignal;
  apartMs?: number;
};

/** A workspace may have eight resends at once, and other pages resend as well. */
const AT_ONCE = 4;
/** Between requests: a person may send 600 a minute [general.27], of which pages need some. */
const APART_MS = 150;
/** An endpoint that refuses so many events in a row gets no more: it still does not work. */
const MAX_REFUSED_IN_A_ROW = 5;

/**
 * Resends events call by call, the oldest first. Returns the endpoints that still refuse everything. Rejects when the platform cannot be
 * reached, after what was begun.
 */
export async function retryFailed(run: Run): Promise<string[]> {
  const { events, resend, onProgress, signal, apartMs = APART_MS } = run;
  const turn = everyMs(apartMs);
  const refused = new Map<string, number>();
  const isDown = (url: string | null): boolean =>
    url !== null && (refused.get(url) ?? 0) >= MAX_REFUSED_IN_A_ROW;
  let tally: Tally = { total: events.length, delivered: 0, failed: 0, skipped: 0 };
  const count = (key: 'delivered' | 'failed' | 'skipped', by = 1) => {
    tally = { ...tally, [key]: tally[key] + by };
    onProgress(tally);
  };
  const one = async (ofCall: readonly FailedEvent[]): Promise<void> => {
    const [first] = ofCall;
    if (!first) return;
    const { call_id: callId, url } = first;
    if (url === null || isDown(url)) return count('skipped', ofCall.length);
    await turn();
    if (signal.aborted) return;
    const results = await resend(
      callId,
      ofCall.map(({ event }) => event),
    );
    for (const { event } of ofCall) {
      const result = results?.[event];
      if (result === undefined || UNSENT.includes(result.reason)) count('skipped');
      else {
        count(result.ok ? 'delivered' : 'failed');
        refused.set(url, result.ok ? 0 : (refused.get(url) ?? 0) + 1);
      }
    }
  };
  const waiting = byCall(events).reverse();
  let failure: { error: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next && !signal.aborted && !failure; next = waiting.pop())
      await one(next).catch((error: unknown) => {
        failure ??= { error };
      });
  };
  onProgress(tally);
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failure) throw failure.error;
  return [...refused.keys()].filter(isDown);
}

/** Resolves so far after its call before. */
function everyMs(apartMs: number): () => Promise<void> {
  let freeAt = 0;
  return async () => {
    const now = performance.now();
    const waitMs = freeAt - now;
    freeAt = Math.max(now, freeAt) + apartMs;
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  };
}

/** Nothing was sent for these reasons. */
const UNSENT: readonly string[] = ['no_webhook_url', 'not_recorded'];

/** The calls, the oldest first. */
function byCall(events: readonly FailedEvent[]): FailedEvent[][] {
  const calls = new Map<string, FailedEvent[]>();
  for (const event of [...events].reverse())
    calls.set(event.call_id, [...(calls.get(event.call_id) ?? []), event]);
  return [...calls.values()];
}
