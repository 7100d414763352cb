/** One request to an address that a client of ours has chosen. */
export type OutboundRequest = {
  url: string;
  method: 'GET' | 'POST';
  /** Headers of ours; the same go to the target of a redirect. Host, framing and hop-by-hop ones are dropped. */
  headers: Readonly<Record<string, string>>;
  /** Headers of the client (a tool's own): for the origin of `url` alone, and left out when a redirect leaves it. */
  originHeaders?: Readonly<Record<string, string>>;
  body?: string;
  /** Real time from resolving the name to the last byte, redirect included. */
  deadlineMs: number;
  /** How much of an answer's body is kept; the rest is not read. 65,536 where not given. */
  maxResponseBytes?: number;
  /** Plain http to anyone; without it only to addresses that the operator has allowed. */
  allowHttp: boolean;
  /** Follow one 307 or 308; without it they are refused like the other redirects. */
  followRedirects: boolean;
  /**
   * `record`: an answer counts once its head has come, and the body is kept as far as it came.
   * `full`: the body is what is wanted, so one that doesn't end is a timeout or a connection error.
   */
  readBody: 'record' | 'full';
  /**
   * It is repeated later, should it fail, and the receiver recognises a repetition (a webhook's `webhook-id`). Only such
   * requests travel on kept connections, whose peer may be about to close them.
   */
  replayable?: boolean;
  /** Gives up; the outcome is `aborted`, unless the answer counts already. */
  signal?: AbortSignal;
};

/** What never led to an answer that counts. `aborted`: by the caller's signal, so nobody's fault. */
export type OutboundFailure =
  | 'timeout'
  | 'connection_error'
  | 'address_refused'
  | 'redirect_refused'
  | 'aborted';

type OutboundCommon = {
  /** The headers of the last request as they were sent, but for `host` and `content-length`. */
  requestHeaders: Record<string, string>;
  /** The answer's status, a refused redirect's own, 0 where there was none or the next address was refused. */
  status: number;
  /** The answer's headers, names in lower case, repetitions joined by `, `; empty with status 0. */
  headers: Record<string, string>;
  /** UTF-8, at most `maxResponseBytes` of it; NUL, which no text column takes, is replaced. */
  body: string;
  /** The answer was longer than `maxResponseBytes`. */
  bodyTruncated: boolean;
  /** The whole body came. */
  bodyComplete: boolean;
  durationMs: number;
  /** The URL that was asked last, or refused: `url`, or where it redirected to. */
  finalUrl: string;
  /** The peer that was connected to last, if any. */
  remoteAddress?: string;
  /** Whether any byte of any request may have left; false means that a repetition is safe. */
  requestSent: boolean;
};

/** A value, never an exception: a receiver's failure is expected. */
export type OutboundResult =
  | (OutboundCommon & { outcome: 'response' })
  | (OutboundCommon & {
      outcome: OutboundFailure;
      /** A sentence for people, with nothing secret in it. */
      error: string;
    });

export type OutboundClient = {
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** Closes kept connections; requests that are under way finish. */
  close(): Promise<void>;
};
