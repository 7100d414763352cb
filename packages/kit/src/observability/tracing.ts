import {
  type Attributes,
  context,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { scrub } from '../log/index.ts';

export type { Span } from '@opentelemetry/api';

export type TracingOptions = {
  service: string;
  /** Base address of an OTLP/HTTP collector (`http://collector:4318`); without it nothing is traced. */
  otlpEndpoint?: string | undefined;
};

/** What stands in for a provider as long as there is none. */
const NO_TRACES = new ProxyTracerProvider().getDelegate();

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/**
 * Starts to export traces; the result flushes and stops. Without an endpoint nothing is loaded and everything below
 * costs next to nothing. One tracer per process: a second start in the same process changes nothing.
 */
export async function startTracing({ service, otlpEndpoint }: TracingOptions): Promise<() => Promise<void>> {
  if (otlpEndpoint === undefined) return async () => {};
  // Loaded only when needed: the exporter costs tens of megabytes.
  const { startExport } = await import('./otlp-export.ts');
  return startExport(service, otlpEndpoint);
}

/** Whether anybody keeps traces: where nobody does, what sits on every request needn't make any. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== NO_TRACES;
}

/** Runs `fn` in a span that ends with it; what it throws marks the span as failed and is thrown on. */
export function withSpan<R>(
  name: string,
  attributes: Attributes,
  fn: (span: Span) => Promise<R>,
  kind: keyof typeof KINDS = 'internal',
): Promise<R> {
  return trace.getTracer('parley').startActiveSpan(name, { attributes, kind: KINDS[kind] }, async (span) => {
    try {
      return await fn(span);
    } catch (err) {
      const message = scrub(err instanceof Error ? err.message : String(err));
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      throw err;
    } finally {
      span.end();
    }
  });
}

/** The W3C headers of the current span, for a request or a message; empty when nothing is traced. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Runs `fn` as a part of the trace that a request's or a message's headers name. */
export function withParent<R>(headers: Record<string, unknown>, fn: () => R): R {
  return context.with(propagation.extract(context.active(), headers), fn);
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace that a stored W3C context names. */
export function traceIdOf(traceparent: string | null | undefined): string | undefined {
  return traceparent ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
