import { createSecureContext, rootCertificates } from 'node:tls';
import type { Log } from '../log/index.ts';
import { monotonicMs } from '../time/index.ts';
import { parseCidr } from './cidr.ts';
import { createConnectionPool } from './connection-pool.ts';
import { startDeadline } from './deadline.ts';
import type { OutboundClient } from './request.ts';
import { createResolver, type Resolver } from './resolver.ts';
import { sendRequest } from './send-request.ts';

export type OutboundOptions = {
  /** Addresses that are allowed besides the public ones, also for plain http (`OUTBOUND_ALLOW_CIDRS`). */
  allowCidrs: readonly string[];
  log: Log;
  resolver?: Resolver;
  /** D8.1 where not given. */
  userAgent?: string;
  /** PEM certificates of authorities that are trusted besides the usual ones. */
  trustedCertificates?: readonly string[];
};

/**
 * The one way out to an address that a client has chosen: webhooks, tools, inbound webhooks. No proxy of the
 * environment is ever used. Throws a RangeError at once for a CIDR that can't be read. spec: D8.5, D8.6.
 */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { log, resolver = createResolver(), userAgent = 'Parley-Webhooks/1', trustedCertificates } = options;
  const pool = createConnectionPool();
  const deps = {
    pool,
    resolver,
    userAgent,
    allowCidrs: options.allowCidrs.map(parseCidr),
    secureContext: createSecureContext(
      trustedCertificates ? { ca: [...rootCertificates, ...trustedCertificates] } : {},
    ),
  };
  return {
    send: async (request) => {
      const startedMs = monotonicMs();
      const deadline = startDeadline(request.deadlineMs, request.signal);
      try {
        const outcome = await sendRequest(request, deadline, deps);
        if (outcome.outcome === 'address_refused')
          log.info({ reason: outcome.error }, 'outbound address refused');
        return { ...outcome, durationMs: Math.round(monotonicMs() - startedMs) };
      } finally {
        deadline.end();
      }
    },
    close: async () => pool.close(),
  };
}
