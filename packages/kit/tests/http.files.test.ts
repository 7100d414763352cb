import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineEndpoint } from '@parley/contracts';
import request from 'supertest';
import { type App, mount } from '../src/http/index.ts';
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

describe('an answer that is a file (RFC 9110, 14)', () => {
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
  });
  afterAll(() => rm(folder, { recursive: true }));

  const get = (path: string, range?: string) =>
    request(app.express)
      .get(path)
      .set(range ? { range } : {})
      .responseType('blob');

  it('is sent whole, and says that parts may be asked for', async () => {
    const answer = await get('/files/a.wav');
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
    const answer = await get('/files/a.wav', range);
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${first}-${last}/5000`);
    expect(bytes.subarray(first, last + 1).equals(answer.body)).toBe(true);
  });

  it('is 416 for a part that it does not have, and tells its length', async () => {
    const answer = await get('/files/a.wav', 'bytes=5000-');
    expect(answer.status).toBe(416);
    expect(answer.headers).toMatchObject({ 'content-range': 'bytes */5000', 'content-length': '0' });
  });

  it('is answered to HEAD without its bytes', async () => {
    const answer = await request(app.express).head('/files/a.wav');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': 'audio/wav', 'content-length': '5000' });
  });

  it('is 304 for whoever has it already', async () => {
    const { headers } = await get('/files/a.wav');
    const answer = await request(app.express)
      .get('/files/a.wav')
      .set('if-modified-since', String(headers['last-modified']));
    expect(answer.status).toBe(304);
  });

  it('is 404 where there is none', async () => {
    const answer = await request(app.express).get('/files/b.wav');
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    expect(answer.headers['content-type']).toContain('json');
  });
});
