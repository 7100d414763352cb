import {
  type Attributes,
  context,
  type Link,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
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

/** The delegate of a tracer provider before one is registered. */
const NO_TRACES = new ProxyTracerProvider().getDelegate();

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/**
 * Starts the export of traces and returns the function that flushes and stops it. Without an endpoint nothing is loaded, and everything
 * below costs almost nothing. A second start in the same process has no effect.
 */
export async function startTracing({ service, otlpEndpoint }: TracingOptions): Promise<() => Promise<void>> {
  if (otlpEndpoint === undefined) return async () => {};
  // Loaded on demand: the exporter takes tens of megabytes.
  const { startExport } = await import('./otlp-export.ts');
  return startExport(service, otlpEndpoint);
}

/** Whether traces are exported; otherwise requests create no spans. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== NO_TRACES;
}

/** Runs `fn` in a span that ends with it; an error marks the span as failed and is rethrown. */
export function withSpan<R>(
  name: string,
  attributes: Attributes,
  fn: (span: Span) => Promise<R>,
  kind: keyof typeof KINDS = 'internal',
  links: Link[] = [],
): Promise<R> {
  const options = { attributes, kind: KINDS[kind], links };
  return trace.getTracer('parley').startActiveSpan(name, options, async (span) => {
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

/** Records a span that is already over; `steps` are its events. Times are real milliseconds since the epoch. */
export function recordSpan(
  name: string,
  attributes: Attributes,
  { fromMs, toMs, steps = {} }: { fromMs: number; toMs: number; steps?: Readonly<Record<string, number>> },
): void {
  const span = trace.getTracer('parley').startSpan(name, { attributes, startTime: fromMs });
  for (const [step, atMs] of Object.entries(steps)) span.addEvent(step, atMs);
  span.end(toMs);
}

/** The W3C headers of the current span, for a request or a message; empty when nothing is traced. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Runs `fn` within the trace of the headers of a request or message. */
export function withParent<R>(headers: Record<string, unknown>, fn: () => R): R {
  return context.with(propagation.extract(context.active(), headers), fn);
}

/** Links to the span in the headers, for a separate trace that it caused; empty without such a span. */
export function linksTo(headers: Record<string, unknown>): Link[] {
  const spanContext = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers));
  return spanContext ? [{ context: spanContext }] : [];
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id of a stored W3C context. */
export function traceIdOf(traceparent: string | null | undefined): string | undefined {
  return traceparent ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
