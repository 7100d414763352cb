import type { IncomingMessage, IncomingResponseMessage } from 'sip.js/lib/core/index.js';

/** A session that ends unless it is refreshed (RFC 4028). */
export type SessionTerms = { seconds: number; isOurs: boolean };

/** The minimum of RFC 4028 (4). */
const MIN_SESSION_SECONDS = 90;
/** A timer of Node's runs at once if it is longer than 24 days. */
const MAX_SESSION_SECONDS = 86_400;
/** The refusal of a smaller interval. */
export const TOO_OFTEN = { statusCode: 422, extraHeaders: [`Min-SE: ${MIN_SESSION_SECONDS}`] };

/** The terms that the far end requests or has agreed to. `role`: ours in the transaction. Undefined: no timer. */
export function sessionTerms(message: IncomingMessage, role: 'uac' | 'uas'): SessionTerms | undefined {
  const header = message.getHeader('session-expires') ?? message.getHeader('x');
  const [, digits, parameters = ''] = /^\s*(\d{1,7})\s*(.*)$/.exec(header ?? '') ?? [];
  if (digits === undefined) return undefined;
  const refresher = /refresher\s*=\s*(uac|uas)/i.exec(parameters)?.[1]?.toLowerCase();
  // If the far end leaves it to us, we refresh.
  const isOurs = refresher === undefined || refresher === role;
  // A response must not raise the requested interval (RFC 4028, 9): a smaller one that is not refused means no timer.
  if (role === 'uas' && Number(digits) < MIN_SESSION_SECONDS) return undefined;
  const seconds = Math.min(MAX_SESSION_SECONDS, Math.max(MIN_SESSION_SECONDS, Number(digits)));
  return { seconds, isOurs };
}

/** Whether a request has an interval that is too small, and its sender knows the refusal (422). */
export function asksTooOften(message: IncomingMessage): boolean {
  const digits = /^\s*(\d{1,7})/.exec(
    message.getHeader('session-expires') ?? message.getHeader('x') ?? '',
  )?.[1];
  return digits !== undefined && Number(digits) < MIN_SESSION_SECONDS && knowsTimers(message);
}

/** The terms after a request of the far end. One that supports timers and names no terms keeps the present ones. */
export function grantedTerms(
  message: IncomingMessage,
  current: SessionTerms | undefined,
): SessionTerms | undefined {
  return sessionTerms(message, 'uas') ?? (knowsTimers(message) ? current : undefined);
}

/** The terms that a far end demands that has refused ours as too short; undefined: it demands no others. */
export function longerTerms(
  response: IncomingResponseMessage,
  refused: SessionTerms | undefined,
): SessionTerms | undefined {
  const seconds = Number(/^\s*(\d{1,7})/.exec(response.getHeader('min-se') ?? '')?.[1]);
  if (response.statusCode !== TOO_OFTEN.statusCode || !refused || !(seconds > refused.seconds))
    return undefined;
  return { ...refused, seconds: Math.min(MAX_SESSION_SECONDS, seconds) };
}

/** The headers of a response that agrees. */
export function agreedTerms({ seconds, isOurs }: SessionTerms, message: IncomingMessage): string[] {
  const refresher = isOurs ? 'uas' : 'uac';
  return [
    `Session-Expires: ${seconds};refresher=${refresher}`,
    ...(knowsTimers(message) ? ['Require: timer'] : []),
  ];
}

/** The header of a request that refreshes: the far end would end the timer without it (RFC 4028, 7.4). */
export function askedTerms(terms: SessionTerms | undefined): string[] {
  return terms ? [`Session-Expires: ${terms.seconds};refresher=uac`] : [];
}

/** After a refresh of ours: a far end that names no terms leaves the refreshing to us, and may end the session without. */
export function refreshedTerms(
  response: IncomingMessage,
  before: SessionTerms | undefined,
): SessionTerms | undefined {
  return sessionTerms(response, 'uac') ?? (before && { ...before, isOurs: true });
}

function knowsTimers(message: IncomingMessage): boolean {
  return /\btimer\b/.test(message.getHeader('supported') ?? message.getHeader('k') ?? '');
}

type Refresh = { refresh: () => void; onExpired: () => void };

export type SessionTimer = {
  /** The terms to ask for in the next refresh; undefined: the session does not end by itself. */
  terms(): SessionTerms | undefined;
  /** The far end demands these terms; the timer runs by the earlier ones until the next refresh. */
  propose(terms: SessionTerms): void;
  /** The session was refreshed, by these terms from now on. */
  start(terms: SessionTerms | undefined): void;
  /** A refresh has failed: the next one follows after `ms`, unless the session ends before. */
  retry(ms: number): void;
  /** For good: a later start has no effect. */
  stop(): void;
};

/** Refreshes in time, or notices that the session was not refreshed. */
export function createSessionTimer({ refresh, onExpired }: Refresh): SessionTimer {
  let current: SessionTerms | undefined;
  let isStopped = false;
  let refreshing: NodeJS.Timeout | undefined;
  let expiry: NodeJS.Timeout | undefined;
  const clear = (): void => {
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
    terms: () => current,
    propose: (terms) => {
      current = terms;
    },
    stop() {
      isStopped = true;
      clear();
    },
    start(terms) {
      clear();
      current = terms;
      if (!terms || isStopped) return;
      const ms = terms.seconds * 1_000;
      if (terms.isOurs) refreshAfter(ms / 2);
      const expire = (): void => {
        clear();
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
