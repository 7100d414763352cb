import { context, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const EXPORT_TIMEOUT_MS = 3_000;

/** Registers the process's tracer, W3C propagation included; the result flushes, stops and removes it. */
export function startExport(service: string, endpoint: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `parley-${service}` }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return async () => {
    try {
      await provider.shutdown();
    } finally {
      // What else runs in this process, such as the next test file, is not traced.
      for (const api of [trace, context, propagation]) api.disable();
    }
  };
}
