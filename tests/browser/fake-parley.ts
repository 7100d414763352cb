import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '@parley/devstack';
import { type BuildOptions, build } from 'esbuild';
import type { BrowserContext, Page, WebSocketRoute } from 'playwright-core';

/** A server of web calls, and a page with the SDK, for what happens too rarely with a real one. Calls are carried by a WebSocket. */
export type FakeParley = {
  page(path?: string): Promise<Page>;
  /** Requests so far, such as `POST /widget/call`. */
  asked: string[];
  /** Requests that get no answer until they are removed from here. */
  held: Set<string>;
  /** Answer to `GET /widget/session/messages`. */
  messages: { seq: number; role: string; content: string }[];
  /** WebSockets of the calls, and what they have received: keys and so on, and the loudest sample of each audio message. */
  sockets: WebSocketRoute[];
  texts: unknown[];
  levels: number[];
  close(): void;
};

const SILENCE = Buffer.alloc(960);

export async function fakeParley(context: BrowserContext): Promise<FakeParley> {
  const scripts = await bundles();
  const held = new Set<string>();
  const asked: string[] = [];
  const sockets: WebSocketRoute[] = [];
  const fake = { asked, held, sockets, messages: [], texts: [], levels: [] } as Omit<
    FakeParley,
    'page' | 'close'
  >;
  let calls = 0;
  const left = new Set<string>();
  const answerTo = (name: string, token: string): object => {
    if (name === 'POST /widget/session/leave') left.add(token);
    const state = {
      status: left.has(token) ? 'completed' : 'in-progress',
      disconnection_reason: 'user_hangup',
    };
    switch (name) {
      case 'POST /widget/call':
        calls += 1;
        return { id: `call-${calls}`, access_token: `token-${calls}` };
      case 'GET /widget/session':
        return { ...state, call_id: `call-${calls}`, audio: true, ice_servers: [] };
      case 'GET /widget/session/messages':
        return { ...state, messages: fake.messages };
      default:
        // An answer that no browser accepts.
        return { ...state, sdp: 'x' };
    }
  };
  const server = createServer(async (req, res) => {
    const path = req.url ?? '';
    const send = (type: string, body: string, headers: OutgoingHttpHeaders = {}) =>
      res.writeHead(200, { 'content-type': type, ...headers }).end(body);
    const script = scripts.get(path);
    if (script !== undefined) return send('text/javascript', script);
    if (!path.startsWith('/widget/'))
      return send('text/html', PAGE, path === '/blocked' ? { 'permissions-policy': 'microphone=()' } : {});
    const name = `${req.method} ${path.split('?')[0]}`;
    asked.push(name);
    const body = JSON.stringify({ data: answerTo(name, String(req.headers['x-access-token'])) });
    while (held.has(name)) await sleep(20);
    return send('application/json', body);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  await context.routeWebSocket(/\/widget\/session\/audio$/, (socket) => {
    sockets.push(socket);
    socket.onMessage((message) => {
      if (typeof message === 'string') fake.texts.push(JSON.parse(message));
      else fake.levels.push(levelOf(message));
    });
    // Else the browser takes the connection for cut.
    const timer = setInterval(() => socket.send(SILENCE), 100);
    socket.onClose(() => clearInterval(timer));
  });
  return Object.assign(fake, {
    page: async (path = '/') => {
      const page = await context.newPage();
      await page.goto(`${origin}${path}`);
      return page;
    },
    close: () => {
      held.clear();
      server.close();
      server.closeAllConnections();
    },
  });
}

const PAGE = `<!doctype html><title>Shop</title><div id="root"></div><script src="/sdk.js"></script>
  <script src="/widget.js"></script><parley-call public-key="svc_pub_1" agent-id="1" mode="text"></parley-call>`;

/** `window.sdk`, and `window.hook`: what `useCall` returns. Streams of the microphone are in `window.streams`. */
const SDK = `import * as sdk from '../packages/web/src/index.ts';
  import { useCall } from '../packages/web/src/react.ts';
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  const options = { baseUrl: location.origin, publicKey: 'svc_pub_1', agentId: '1' };
  const App = () => {
    window.hook = useCall({ ...options, mode: 'text' });
    return null;
  };
  window.streams = [];
  window.live = () => streams.flatMap((stream) => stream.getTracks()).filter(({ readyState }) => readyState === 'live').length;
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    streams.push(stream);
    return stream;
  };
  Object.assign(window, { sdk, options, render: () => createRoot(document.querySelector('#root')).render(createElement(App)) });`;

async function bundles(): Promise<Map<string, string>> {
  const textOf = async (options: BuildOptions): Promise<string> => {
    const { outputFiles } = await build({
      ...options,
      ...{ bundle: true, write: false, conditions: ['source'] },
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    return outputFiles?.[0]?.text ?? '';
  };
  const folder = join(ROOT, 'packages/web/src');
  return new Map([
    ['/sdk.js', await textOf({ stdin: { contents: SDK, resolveDir: join(ROOT, 'tests') } })],
    ['/widget.js', await textOf({ entryPoints: [join(folder, 'widget/widget.ts')] })],
    ['/widget/worklet.js', await textOf({ entryPoints: [join(folder, 'worklet/worklet.ts')] })],
  ]);
}

function levelOf(pcm: Buffer): number {
  let level = 0;
  for (let at = 0; at + 2 <= pcm.length; at += 2) level = Math.max(level, Math.abs(pcm.readInt16LE(at)));
  return level;
}
