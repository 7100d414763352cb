import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { defineEndpoint } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import { z } from 'zod';
import { type App, listen, mount } from '../src/http/index.ts';
import { createLifecycle } from '../src/lifecycle/index.ts';
import { createLogger } from '../src/log/index.ts';
import { as, bootApp, listThings, thing } from './http-harness.ts';

const readBoxes = defineEndpoint({
  service: 'telephony',
  tag: 'Things',
  summary: 'Boxes with their things',
  errors: [],
  id: 'readBoxes',
  method: 'GET',
  path: '/v1/box',
  access: 'private',
  status: 200,
  envelope: 'data',
  response: z.array(z.object({ name: z.string(), lid: z.string().optional(), things: z.array(thing) })),
});

const download = defineEndpoint({
  service: 'telephony',
  tag: 'Things',
  summary: 'A file',
  errors: [],
  id: 'download',
  method: 'GET',
  path: '/v1/download',
  access: 'private',
  status: 200,
  envelope: 'bare',
});

const LONG = 'x'.repeat(32 * 1024);
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(setUp: (app: App) => void) {
  const { app, lines } = bootApp();
  setUp(app);
  const log = createLogger({ service: 'test', level: 'silent' });
  const lifecycle = createLifecycle(log, { deadlineMs: 1_000 });
  closers.push(() => lifecycle.stop('test'));
  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
  return { url: `http://127.0.0.1:${port}`, port, lines };
}

async function* things(count: number, name = 'a', failAt = -1): AsyncGenerator<z.input<typeof thing>> {
  for (let i = 0; i < count; i += 1) {
    if (i === failAt) throw new Error('the database went away');
    yield { id: String(i), name };
  }
}

const list = (url: string) =>
  fetch(`${url}/v1/thing/list`, { method: 'POST', headers: as('key'), body: '{}' });

describe('a streamed list', () => {
  it.each([0, 1, 3])('looks like any other: %d items', async (count) => {
    const { url } = await serve((app) =>
      mount(app, listThings, () => ({ items: things(count), total: 7, nextCursor: '2' })),
    );
    const answer = await list(url);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-length')).not.toBeNull();
    const data = Array.from({ length: count }, (_, i) => ({ id: String(i), name: 'a' }));
    expect(await answer.json()).toEqual({
      success: true,
      data,
      pagination: { total: 7, count, next_cursor: '2' },
    });
  });

  it('is sent in pieces if it is long', async () => {
    const { url } = await serve((app) =>
      mount(app, listThings, () => ({ items: things(20, LONG), total: 20, nextCursor: null })),
    );
    const answer = await list(url);
    expect(answer.headers.get('content-length')).toBeNull();
    const { data, pagination } = (await answer.json()) as { data: { name: string }[]; pagination: object };
    expect(data.map(({ name }) => name)).toEqual(Array(20).fill(LONG));
    expect(pagination).toEqual({ total: 20, count: 20, next_cursor: null });
  });

  it('lets other requests run in between, even if the client reads at full speed', async () => {
    const ITEM = 'x'.repeat(1_000);
    let sinceTurn = 0;
    let longest = 0;
    let isOver = false;
    const watch = (): void => {
      sinceTurn = 0;
      if (!isOver) setImmediate(watch);
    };
    async function* counted() {
      for await (const one of things(2_000, ITEM)) {
        sinceTurn += 1;
        longest = Math.max(longest, sinceTurn);
        yield one;
      }
    }
    const { url } = await serve((app) =>
      mount(app, listThings, () => ({ items: counted(), total: 2_000, nextCursor: null })),
    );
    watch();
    await (await list(url)).arrayBuffer();
    isOver = true;
    // 64 KiB of a kilobyte each.
    expect(longest).toBeLessThanOrEqual(70);
  });

  it('reads no more items than the client accepts, and none after it disconnects', async () => {
    let read = 0;
    let isOver = false;
    async function* endless(): AsyncGenerator<z.input<typeof thing>> {
      try {
        for (;;) {
          read += 1;
          yield { id: 'x', name: LONG };
        }
      } finally {
        isOver = true;
      }
    }
    const { port } = await serve((app) =>
      mount(app, listThings, () => ({ items: endless(), total: 1, nextCursor: null })),
    );
    const socket = connect(port, '127.0.0.1').pause();
    const { 'x-parley-internal': token } = as('key');
    socket.write(
      `POST /v1/thing/list HTTP/1.1\r\nhost: x\r\nx-parley-internal: ${token}\r\ncontent-length: 2\r\n\r\n{}`,
    );
    let before = -1;
    // Until what lies between two sockets is full.
    while (read === 0 || read !== before) {
      before = read;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(isOver).toBe(false);
    expect(read * LONG.length).toBeLessThan(64 * 1024 ** 2);
    socket.destroy();
    while (!isOver) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('fails like any request if the first items fail', async () => {
    const { url } = await serve((app) =>
      mount(app, listThings, () => ({ items: things(3, 'a', 2), total: 3, nextCursor: null })),
    );
    const answer = await list(url);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ error: { code: 'INTERNAL_ERROR' } });
  });

  it('breaks the connection if a later item fails or violates the contract, so that a part never looks complete', async () => {
    const { url, lines } = await serve((app) => {
      mount(app, listThings, () => ({ items: things(20, LONG, 10), total: 20, nextCursor: null }));
      async function* wrong() {
        yield { name: 'full', things: things(20, LONG) };
        yield { name: 1, things: [] } as never;
      }
      mount(app, readBoxes, () => wrong());
    });
    await expect(list(url).then((answer) => answer.text())).rejects.toThrow();
    const boxes = fetch(`${url}/v1/box`, { headers: as('key') });
    await expect(boxes.then((answer) => answer.text())).rejects.toThrow();
    expect(lines.filter(({ msg }) => msg === 'response aborted')).toHaveLength(2);
  });
});

describe('a list within an item of a list', () => {
  it('may be streamed as well; fields outside of the contract are omitted', async () => {
    async function* boxes() {
      yield { name: 'empty', secret: 'no', things: [] };
      yield { name: 'full', secret: 'no', things: things(2) };
      yield { name: 'void', lid: 'red', things: things(0) };
    }
    const { url } = await serve((app) => mount(app, readBoxes, () => boxes()));
    const answer = await fetch(`${url}/v1/box`, { headers: as('key') });
    expect(await answer.json()).toEqual({
      success: true,
      data: [
        { name: 'empty', things: [] },
        {
          name: 'full',
          things: [
            { id: '0', name: 'a' },
            { id: '1', name: 'a' },
          ],
        },
        { name: 'void', lid: 'red', things: [] },
      ],
    });
  });

  it('HEAD returns only the headers, also of a long list', async () => {
    async function* boxes() {
      yield { name: 'full', things: things(20, LONG) };
    }
    const { url } = await serve((app) => mount(app, readBoxes, () => boxes()));
    const answer = await fetch(`${url}/v1/box`, { method: 'HEAD', headers: as('key') });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('');
  });
});

it('a body is closed unread if the client disconnected before the handler returned it', async () => {
  const body = new Readable({ read: () => {} });
  let isHandling = false;
  const { port } = await serve((app) =>
    mount(app, download, async ({ req }) => {
      isHandling = true;
      if (req.res) await once(req.res, 'close');
      return { contentType: 'text/plain', body };
    }),
  );
  const { 'x-parley-internal': token } = as('key');
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /v1/download HTTP/1.1\r\nhost: x\r\nx-parley-internal: ${token}\r\n\r\n`);
  await eventually(() => expect(isHandling).toBe(true));
  socket.destroy();
  await eventually(() => expect(body.destroyed).toBe(true));
});
