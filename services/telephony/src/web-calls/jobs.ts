import { createJobLoop } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { WebCarrier } from '../carriers/web/web-carrier.ts';
import type { CallSessions } from '../sessions/call-sessions.ts';
import { type EndUnjoinedDeps, endUnjoined } from './end-unjoined.ts';
import { endUntaken } from './end-untaken.ts';

export type WebCallJobsDeps = EndUnjoinedDeps & {
  web: WebCarrier;
  sessions: CallSessions;
  workerId: string;
  /** How many more spoken calls this worker can carry now. */
  freeAudioCalls: () => number;
  log: Log;
  lifecycle: Lifecycle;
};

/** Real time: the delay until this worker sees what another process has written. */
const POLL_MS = 200;
/** Short, since a visitor waits for it. */
const TAKE_EVERY_MS = 100;
const UNJOINED_EVERY_MS = 250;
const UNTAKEN_EVERY_MS = 1_000;
const MAX_TAKEN = 20;

/** Takes joined web calls, reads their messages, and ends web calls that were not joined, or not taken, in time. */
export function startWebCallJobs(deps: WebCallJobsDeps): void {
  const { web, sessions, workerId, webCalls, freeAudioCalls, clock, log, lifecycle } = deps;
  const loop = (name: string, everyMs: number, run: () => Promise<boolean>) =>
    createJobLoop({ name, everyMs, run, log, lifecycle });
  loop('web lines', POLL_MS, web.look);
  loop('joined web calls', TAKE_EVERY_MS, async () => {
    const max = { text: MAX_TAKEN, audio: Math.max(0, Math.min(MAX_TAKEN, freeAudioCalls())) };
    const joined = await webCalls.takeJoined(workerId, clock.now(), max);
    for (const { call, media } of joined) {
      if (media === 'audio') web.expectAudio(call.id);
      sessions.receive(call);
    }
    return joined.filter(({ media }) => media === 'text').length === MAX_TAKEN;
  });
  loop('unjoined web calls', UNJOINED_EVERY_MS, () => endUnjoined(deps));
  loop('untaken web calls', UNTAKEN_EVERY_MS, () => endUntaken(deps));
}
