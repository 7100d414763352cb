import type { IncomingMessage } from 'sip.js/lib/core/index.js';

/** A session that ends unless it is refreshed (RFC 4028). */
export type SessionTerms = { seconds: number; isOurs: boolean };

/** Of RFC 4028, 4: less would be a flood. */
const MIN_SESSION_SECONDS = 90;

/** What the far end asks for, or has agreed to. `role`: ours in the transaction. Undefined: no timer. */
export function sessionTerms(message: IncomingMessage, role: 'uac' | 'uas'): SessionTerms | undefined {
  const header = message.getHeader('session-expires') ?? message.getHeader('x');
  const [, digits, parameters = ''] = /^\s*(\d{1,7})\s*(.*)$/.exec(header ?? '') ?? [];
  if (digits === undefined) return undefined;
  const refresher = /refresher\s*=\s*(uac|uas)/i.exec(parameters)?.[1]?.toLowerCase();
  // If the far end leaves it to us, we refresh.
  const isOurs = refresher === undefined || refresher === role;
  return { seconds: Math.max(MIN_SESSION_SECONDS, Number(digits)), isOurs };
}

/** The headers of a response that agrees. */
export function agreedTerms({ seconds, isOurs }: SessionTerms, isSupported: boolean): string[] {
  const refresher = isOurs ? 'uas' : 'uac';
  return [`Session-Expires: ${seconds};refresher=${refresher}`, ...(isSupported ? ['Require: timer'] : [])];
}

type Refresh = { refresh: () => void; onExpired: () => void };

export type SessionTimer = {
  /** The session was refreshed, by these terms from now on; undefined: it does not end by itself. */
  start(terms: SessionTerms | undefined): void;
  /** A refresh has failed: the next one follows after `ms`, unless the session ends before. */
  retry(ms: number): void;
  stop(): void;
};

/** Refreshes in time, or notices that the session was not refreshed. */
export function createSessionTimer({ refresh, onExpired }: Refresh): SessionTimer {
  let refreshing: NodeJS.Timeout | undefined;
  let expiry: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(refreshing);
    clearTimeout(expiry);
    expiry = undefined;
  };
  const refreshAfter = (ms: number): void => {
    clearTimeout(refreshing);
    refreshing = setTimeout(refresh, ms);
    refreshing.unref();
  };
  return {
    stop,
    start(terms) {
      stop();
      if (!terms) return;
      const ms = terms.seconds * 1_000;
      if (terms.isOurs) refreshAfter(ms / 2);
      const expire = (): void => {
        stop();
        onExpired();
      };
      // The far end may be late by a third, as RFC 4028 (10) has it, at most by 32 seconds.
      expiry = setTimeout(expire, ms - Math.min(32_000, ms / 3));
      expiry.unref();
    },
    retry(ms) {
      if (expiry) refreshAfter(ms);
    },
  };
}
