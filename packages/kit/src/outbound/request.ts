/** A request to an address that a client has chosen. */
export type OutboundRequest = {
  url: string;
  method: 'GET' | 'POST';
  /** Our headers, also sent to the target of a redirect. Host, framing and hop-by-hop headers are dropped. */
  headers: Readonly<Record<string, string>>;
  /** Headers of the client (a tool's), sent to the origin of `url` only. */
  originHeaders?: Readonly<Record<string, string>>;
  body?: string;
  /** Real milliseconds from resolving the name to the last byte, including a redirect. */
  deadlineMs: number;
  /** Maximum bytes read of the response body; 65,536 by default. */
  maxResponseBytes?: number;
  /** Allows plain http to every address, otherwise only to those that the operator allows. */
  allowHttp: boolean;
  /** Follows one 307 or 308; otherwise they are rejected like other redirects. */
  followRedirects: boolean;
  /**
   * `record`: a response counts once its headers have arrived, and whatever arrives of the body is kept.
   * `full`: the body is needed, so an incomplete one is a timeout or a connection error.
   */
  readBody: 'record' | 'full';
  /**
   * The request is retried on failure and the receiver recognizes repetitions (`webhook-id`). Only such requests reuse connections,
   * which the peer may be about to close.
   */
  replayable?: boolean;
  /** Cancels the request; the outcome is `aborted`, unless the response already counts. */
  signal?: AbortSignal;
};

/** Why there is no response. `aborted`: by the caller's signal. */
export type OutboundFailure =
  | 'timeout'
  | 'connection_error'
  | 'address_refused'
  | 'redirect_refused'
  | 'aborted';

type OutboundCommon = {
  /** The headers of the last request as they were sent, without `host` and `content-length`. */
  requestHeaders: Record<string, string>;
  /** The status of the response or of a rejected redirect; 0 without a response, or if the next address was rejected. */
  status: number;
  /** The response headers, names in lower case, repetitions joined by `, `; empty with status 0. */
  headers: Record<string, string>;
  /** At most `maxResponseBytes` as UTF-8; NUL is replaced. */
  body: string;
  /** The body was longer than `maxResponseBytes`. */
  bodyTruncated: boolean;
  /** The whole body arrived. */
  bodyComplete: boolean;
  durationMs: number;
  /** The last requested or rejected URL: `url`, or the target of its redirect. */
  finalUrl: string;
  /** The address of the last connection, if any. */
  remoteAddress?: string;
  /** Whether any byte may have been sent; if not, a retry is safe. */
  requestSent: boolean;
};

/** Failures of receivers are expected, so they are values. */
export type OutboundResult =
  | (OutboundCommon & { outcome: 'response' })
  | (OutboundCommon & {
      outcome: OutboundFailure;
      /** A sentence without secrets. */
      error: string;
    });

export type OutboundClient = {
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** Closes idle connections; requests in flight finish. */
  close(): Promise<void>;
};
