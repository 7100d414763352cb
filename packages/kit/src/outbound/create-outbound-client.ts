import { createSecureContext, rootCertificates } from 'node:tls';
import type { Log } from '../log/index.ts';
import { monotonicMs } from '../time/index.ts';
import type { OutboundAllowance } from './allowance.ts';
import { createConnectionPool } from './connection-pool.ts';
import { startDeadline } from './deadline.ts';
import { createInternalPorts } from './internal-ports.ts';
import { parseCidr } from './ip-address.ts';
import type { OutboundClient } from './request.ts';
import { createResolver, type Resolver } from './resolver.ts';
import { sendRequest } from './send-request.ts';

export type OutboundOptions = OutboundAllowance & {
  log: Log;
  /** Internal addresses of the platform, which are always rejected [trust.12]. */
  internalUrls?: readonly string[];
  resolver?: Resolver;
  /** By default `Parley-Webhooks/1`. */
  userAgent?: string;
  /** PEM certificates of further trusted authorities. */
  trustedCertificates?: readonly string[];
};

/**
 * The HTTP client for URLs that customers configure: webhooks, tools, inbound webhooks. It ignores the proxy variables of the environment.
 * Throws a RangeError for an invalid CIDR.
 */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { log, resolver = createResolver(), userAgent = 'Parley-Webhooks/1', trustedCertificates } = options;
  const pool = createConnectionPool();
  const deps = {
    pool,
    resolver,
    userAgent,
    allowCidrs: options.allowCidrs.map(parseCidr),
    allowHosts: options.allowHosts ?? [],
    internalPorts: createInternalPorts(options.internalUrls ?? [], resolver),
    log,
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
        return { ...outcome, durationMs: Math.round(monotonicMs() - startedMs) };
      } finally {
        deadline.end();
      }
    },
    close: async () => pool.close(),
  };
}
