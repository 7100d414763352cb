import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { DashboardEnd } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { realNow, realTimer } from '@parley/kit/time';
import type { Feeds } from './feeds.ts';
import { eventText } from './workspace-feed.ts';

type EndReason = DashboardEnd['reason'];

/** The reader of a stream: its response, and a check whether access is still allowed. */
export type Reader = {
  personId: string;
  workspaceId: string;
  resumeFrom: string | undefined;
  /** Undefined: access is allowed. */
  whyNot: () => Promise<EndReason | undefined>;
  response: Pick<ServerResponse, 'writableLength' | 'writableFinished'> & {
    destroy: () => unknown;
    once: (event: 'close', listener: () => void) => unknown;
  };
};

const HEARTBEAT_MS = 15_000;
const CHECK_MS = 3_000;
/** Maximum unsent text of a page that doesn't read. */
const MAX_UNSENT_BYTES = 256 * 1024;
/** Time for an ended stream to send its remaining data, above all the reason. */
const GRACE_MS = 2_000;
const MAX_PER_PERSON = 10;
const MAX_PER_WORKSPACE = 200;
const RETRY_AFTER_SECONDS = 10;

type Stream = { readable: Readable; end: (reason?: EndReason) => void };

export type EventStreams = { open(reader: Reader): Readable; count(): number };

/**
 * Streams of events to pages [dashboard.8]: bounded in number and memory, and ended with the session that opened them, and while changes
 * would be missed [dashboard.9].
 */
export function createEventStreams(feeds: Feeds, lifecycle: Lifecycle, maxStreams: number): EventStreams {
  const all = new Set<Stream>();
  const ofPerson = new Map<string, Stream[]>();

  const checkLimits = (workspaceId: string): void => {
    if (!feeds.isLive())
      throw new AppError('SERVICE_UNAVAILABLE', 'Live updates are not available at the moment', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    const isFull = all.size >= maxStreams;
    if (!isFull && feeds.count(workspaceId) < MAX_PER_WORKSPACE) return;
    const message = `Too many pages ${isFull ? 'of this installation' : 'of this workspace'} are open`;
    throw new AppError(isFull ? 'SERVICE_UNAVAILABLE' : 'RATE_LIMITED', message, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  };

  const endAll = (): void => {
    for (const { end } of all) end();
  };
  lifecycle.signal.addEventListener('abort', endAll);
  feeds.onLost(endAll);

  return {
    count: () => all.size,
    open: ({ personId, workspaceId, resumeFrom, whyNot, response }) => {
      checkLimits(workspaceId);
      const readable = new Readable({ read: () => {}, highWaterMark: MAX_UNSENT_BYTES });
      let isOver = false;
      const end = (reason?: EndReason): void => {
        if (isOver) return;
        isOver = true;
        if (reason) readable.push(eventText('end', { reason }, realNow().getTime()));
        readable.push(null);
        if (reason === 'slow') {
          readable.destroy(new Error('The page does not read its events'));
          return;
        }
        // Otherwise a page that doesn't read would keep its connection open indefinitely.
        const cancel = realTimer(GRACE_MS, () => {
          if (!response.writableFinished) response.destroy();
        });
        response.once('close', cancel);
      };
      const send = (text: string): void => {
        if (isOver) return;
        if (readable.readableLength + Buffer.byteLength(text) > MAX_UNSENT_BYTES) end('slow');
        else readable.push(text);
      };
      const stream = { readable, end };
      const own = [...(ofPerson.get(personId) ?? []), stream];
      for (const oldest of own.splice(0, own.length - MAX_PER_PERSON)) oldest.end('replaced');
      ofPerson.set(personId, own);
      all.add(stream);
      const leave = feeds.subscribe(workspaceId, { send }, resumeFrom);
      const stopBeating = every(HEARTBEAT_MS, async () => {
        // The page has not read data that was sent a whole interval ago.
        if (readable.readableLength + response.writableLength > 0) end('slow');
        // Without data this is not an event; it only updates the id from which the page resumes.
        else send(`id: ${realNow().getTime()}\n\n`);
      });
      const stopChecking = every(CHECK_MS, async () => {
        const reason = await whyNot();
        if (reason) end(reason);
      });
      readable.once('close', () => {
        isOver = true;
        leave();
        stopBeating();
        stopChecking();
        all.delete(stream);
        const left = (ofPerson.get(personId) ?? []).filter((other) => other !== stream);
        if (left.length > 0) ofPerson.set(personId, left);
        else ofPerson.delete(personId);
      });
      if (lifecycle.signal.aborted) end();
      return readable;
    },
  };
}

/** Runs `work` periodically until it is stopped; failures, such as of the database, are ignored. */
function every(ms: number, work: () => Promise<void>): () => void {
  let cancel = (): void => {};
  let isStopped = false;
  const schedule = (): void => {
    cancel = realTimer(ms, () => {
      work()
        .catch(() => {})
        .finally(() => {
          if (!isStopped) schedule();
        });
    });
  };
  schedule();
  return () => {
    isStopped = true;
    cancel();
  };
}
