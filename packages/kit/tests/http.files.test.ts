import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ReadStream, truncateSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineEndpoint } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import request from 'supertest';
import { AppError, notFound } from '../src/errors/index.ts';
import { type App, mount } from '../src/http/index.ts';
import { sendFile } from '../src/http/send-file.ts';
import { bootApp } from './http-harness.ts';

const download = defineEndpoint({
  service: 'telephony',
  tag: 'Things',
  summary: 'A file',
  errors: ['NOT_FOUND'],
  id: 'download',
  method: 'GET',
  path: '/files/:name',
  access: 'open',
  status: 200,
  envelope: 'bare',
});

const downloadContent = defineEndpoint({ ...download, id: 'downloadContent', path: '/contents/:name' });

describe.each(['files', 'contents'])('an answer that is read from %s (RFC 9110, 14)', (place) => {
  const bytes = randomBytes(5_000);
  let folder: string;
  let app: App;

  beforeAll(async () => {
    // As the folder of a development stack: a dot in its path must not hide the file.
    folder = await mkdtemp(join(tmpdir(), '.files-'));
    await writeFile(join(folder, 'a.wav'), bytes);
    ({ app } = bootApp());
    mount(app, download, ({ req }) => ({
      contentType: 'audio/wav',
      file: join(folder, req.path.split('/').at(-1) ?? ''),
      headers: { 'x-own': 'yes' },
    }));
    mount(app, downloadContent, ({ req }) => {
      const name = req.path.split('/').at(-1);
      if (name === 'b.wav') throw notFound('File');
      const read = async ({ start, end }: { start: number; end: number }) => {
        const part = bytes.subarray(start, end + 1);
        return Readable.from([part.subarray(0, 7), part.subarray(7)]);
      };
      const modifiedAt = new Date('2026-01-31T08:00:00Z');
      return {
        contentType: 'audio/wav',
        content: { size: bytes.length, etag: '"abc"', modifiedAt, read },
        headers: { 'x-own': 'yes' },
      };
    });
  });
  afterAll(() => rm(folder, { recursive: true }));

  const get = (path: string, range?: string) =>
    request(app.express)
      .get(path)
      .set(range ? { range } : {})
      .responseType('blob');

  it('is sent whole, and announces range requests', async () => {
    const answer = await get(`/${place}/a.wav`);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': '5000',
      'accept-ranges': 'bytes',
      'x-own': 'yes',
    });
    expect(bytes.equals(answer.body)).toBe(true);
  });

  it.each([
    ['bytes=0-99', 0, 99],
    ['bytes=4990-', 4990, 4999],
    ['bytes=-10', 4990, 4999],
    ['bytes=4000-99999', 4000, 4999],
  ])('is sent in part: %s', async (range, first, last) => {
    const answer = await get(`/${place}/a.wav`, range);
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${first}-${last}/5000`);
    expect(bytes.subarray(first, last + 1).equals(answer.body)).toBe(true);
  });

  it('is 416 for a missing range, with the total length', async () => {
    const answer = await get(`/${place}/a.wav`, 'bytes=5000-');
    expect(answer.status).toBe(416);
    expect(answer.headers).toMatchObject({ 'content-range': 'bytes */5000', 'content-length': '0' });
  });

  it('has no body for HEAD', async () => {
    const answer = await request(app.express).head(`/${place}/a.wav`);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'audio/wav', 'content-length': '5000' });
  });

  it('is 304 for a client that already has it', async () => {
    const { headers } = await get(`/${place}/a.wav`);
    const answer = await request(app.express)
      .get(`/${place}/a.wav`)
      .set('if-modified-since', String(headers['last-modified']));
    expect(answer.status).toBe(304);
  });

  it.each([
    ['if-match', '"other"'],
    ['if-unmodified-since', 'Fri, 01 Jan 2010 00:00:00 GMT'],
  ])('does not depend on %s', async (name, value) => {
    const answer = await get(`/${place}/a.wav`).set(name, value);
    expect(answer.status).toBe(200);
    expect(bytes.equals(answer.body)).toBe(true);
    expect((await get(`/${place}/a.wav`, 'bytes=0-99').set(name, value)).status).toBe(206);
  });

  it('is 404 for a missing file, without the headers of the file', async () => {
    const answer = await request(app.express).get(`/${place}/b.wav`);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    expect(answer.headers['content-type']).toContain('json');
    expect(answer.headers).not.toHaveProperty('x-own');
  });

  it('is whole for a part of what has changed since', async () => {
    const { headers } = await get(`/${place}/a.wav`);
    const ifRange = (value: string) => get(`/${place}/a.wav`, 'bytes=1-2').set('if-range', value);
    expect((await ifRange(String(headers['last-modified']))).status).toBe(206);
    expect((await ifRange('Fri, 01 Jan 2010 00:00:00 GMT')).status).toBe(200);
    expect((await ifRange('"other"')).status).toBe(200);
  });
});

describe('content that cannot be read', () => {
  const { app } = bootApp();
  mount(app, downloadContent, ({ req }) => ({
    contentType: 'audio/wav',
    content: {
      size: 100,
      etag: '"abc"',
      modifiedAt: new Date(0),
      read: async () => {
        if (req.path.endsWith('down.wav'))
          throw new AppError('SERVICE_UNAVAILABLE', 'down', { retryAfterSeconds: 9 });
        return Readable.from(
          (async function* () {
            yield Buffer.alloc(7);
            throw new Error('broken off');
          })(),
        );
      },
    },
  }));

  it('is an error with Retry-After, or breaks off', async () => {
    const down = await request(app.express).get('/contents/down.wav');
    expect(down.status).toBe(503);
    expect(down.headers['retry-after']).toBe('9');
    expect(down.headers).not.toHaveProperty('etag');
    await expect(request(app.express).get('/contents/broken.wav')).rejects.toThrow('aborted');
  });
});

describe('a file that cannot be read to its end', () => {
  const broken: [
    what: string,
    breakOff: (source: ReadStream, file: string) => void,
    error: string,
    reason: unknown,
  ][] = [
    [
      'fails',
      (source) => source.once('data', () => source.destroy(new Error('EIO: i/o error, read'))),
      'aborted',
      expect.stringContaining('EIO'),
    ],
    [
      'became shorter',
      (_source, file) => truncateSync(file, 100),
      'aborted',
      expect.stringContaining('shorter'),
    ],
    [
      'became empty',
      (_source, file) => truncateSync(file),
      'socket hang up',
      expect.stringContaining('shorter'),
    ],
  ];
  it.each(broken)('closes the connection and is logged: it %s', async (_what, breakOff, error, reason) => {
    const folder = await mkdtemp(join(tmpdir(), 'files-'));
    const file = join(folder, 'a.txt');
    await writeFile(file, randomBytes(1_000_000));
    const { app, lines } = bootApp();
    app.router.get('/broken', async (_req, res) => {
      // Its size is known, and it is not open yet.
      res.once('pipe', (source: ReadStream) => breakOff(source, file));
      await sendFile(res, { contentType: 'text/plain', file });
    });
    const answer = request(app.express).get('/broken').set('connection', 'keep-alive');
    await expect(answer).rejects.toThrow(error);
    await eventually(() => expect(lines).toHaveLength(2));
    expect(lines).toMatchObject([
      { level: 'warn', msg: 'response aborted', err: { message: reason } },
      { msg: 'request finished', status: 499 },
    ]);
    await rm(folder, { recursive: true });
  });
});

it('a file whose client has disconnected is no failure', async () => {
  const { app, lines } = bootApp();
  let sent: Promise<void> | undefined;
  app.router.get('/left', async (_req, res) => {
    client.destroy();
    await once(res, 'close');
    sent = sendFile(res, { contentType: 'text/plain', file: import.meta.filename });
  });
  const server = app.express.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET /left HTTP/1.1\r\nhost: x\r\n\r\n');
  await new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
  await eventually(() => expect(sent).toBeDefined());
  await sent;
  expect(lines.map(({ level, status }) => [level, status])).toEqual([['info', 499]]);
  server.close();
});
