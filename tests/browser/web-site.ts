import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type WebSite = {
  origin: string;
  /** Serves HTML at a path, with a content security policy that only allows the platform's scripts and connections. */
  page(path: string, html: string): string;
  script(path: string, code: string): void;
  close(): Promise<void>;
};

/** A client's web site, on another origin than the platform. */
export async function webSite(platformUrl: string): Promise<WebSite> {
  const files = new Map<string, { type: string; text: string }>();
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${platformUrl}`,
    `connect-src ${platformUrl} ${platformUrl.replace('http', 'ws')}`,
    'img-src data:',
    "require-trusted-types-for 'script'",
  ].join('; ');
  const server = createServer((req, res) => {
    const file = files.get(req.url ?? '');
    if (!file) return res.writeHead(404).end();
    return res
      .writeHead(200, { 'content-type': file.type, 'content-security-policy': policy })
      .end(file.text);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  // Another site than the platform's, which browsers treat as a secure context too.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    page: (path, text) => {
      files.set(path, { type: 'text/html; charset=utf-8', text });
      return `${origin}${path}`;
    },
    script: (path, text) => void files.set(path, { type: 'text/javascript; charset=utf-8', text }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
