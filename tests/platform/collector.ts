import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type CollectedSpan = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
};

export type Collector = { url: string; spans(): CollectedSpan[]; close(): Promise<void> };

type Attribute = { key: string; value: { stringValue?: string } };
type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: Omit<CollectedSpan, 'service'>[] }[];
  }[];
};

/** An OpenTelemetry collector, as far as one is needed to look at what came: OTLP over HTTP as JSON. */
export async function collector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      spans.push(...read(JSON.parse(Buffer.concat(chunks).toString())));
      res.setHeader('content-type', 'application/json');
      res.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const name = resource.attributes.find(({ key }) => key === 'service.name');
    const service = (name?.value.stringValue ?? '').replace(/^parley-/, '');
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service })));
  });
}
