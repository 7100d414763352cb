import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findings, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { knowledge } from './knowledge.ts';

let service: Harness;
let { add, addDocument, search }: ReturnType<typeof knowledge> = {} as never;
let id: string;
const workspace = newWorkspace();

beforeAll(async () => {
  service = await startHarness();
  ({ add, addDocument, search } = knowledge(service));
  id = await add(workspace);
});
afterAll(() => service.close());

const path = (base = id): string => `/v1/knowledge-base/${base}/documents`;
const baseOf = async (base: string): Promise<Json> =>
  (await service.get(workspace, `/v1/knowledge-base/${base}`)).body.data;

describe('POST /v1/knowledge-base/{id}/documents', () => {
  it('answers 201 with the document without its text, and counts it [knowledge.2]', async () => {
    const base = await add(workspace);
    const before = await baseOf(base);
    const { status, body } = await service.post(workspace, path(base), {
      title: ' Hours ',
      text: 'Öffnung: 9–5',
    });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      knowledge_base_id: base,
      title: 'Hours',
      size: 15,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
    });
    expect(await baseOf(base)).toEqual({ ...before, document_count: 1, updated_at: body.data.created_at });
  });

  it('stores the text unchanged', async () => {
    const parts = [
      '  \n\n',
      '“Quoted” 😀\t<b>&amp;</b>\r\n\r\n',
      'x'.repeat(5000),
      '\n \n',
      'Ende. '.repeat(2000),
    ];
    const text = parts.join('');
    const document = await addDocument(workspace, id, 'Odd', text);
    const { status, body } = await service.get(workspace, `${path()}/${document}`);
    expect([status, body.data.text]).toEqual([200, text]);
    expect(body.data.size).toBe(Buffer.byteLength(text));
  });

  it.each([
    [{ text: 'x' }, 'title required'],
    [{ title: ' ', text: 'x' }, 'title too_small'],
    [{ title: 'x'.repeat(256), text: 'x' }, 'title too_big'],
    [{ title: 'T' }, 'text required'],
    [{ title: 'T', text: '' }, 'text invalid_format'],
    [{ title: 'T', text: ' \n\t' }, 'text invalid_format'],
    [{ title: 'T', text: 7 }, 'text invalid_type'],
    [{ title: 'T', text: 'a\0b' }, 'text invalid_format'],
    [{ title: 'T', text: 'a\udfffb' }, 'text invalid_format'],
  ])('refuses %j and adds nothing', async (body, finding) => {
    const base = await add(workspace);
    expect(findings(await service.post(workspace, path(base), body))).toEqual([finding]);
    expect((await baseOf(base)).document_count).toBe(0);
  });

  it('accepts any text up to the body limit, and finds its last words', async () => {
    const base = await add(workspace);
    const words = Array.from({ length: 140_000 }, (_, i) => `w${(i * 7919) % 30_011}`).join(' ');
    const document = await addDocument(
      workspace,
      base,
      'Long',
      `${words.slice(0, 1_040_000)} the last xylophone`,
    );
    expect(await search(workspace, base, 'Where is the xylophone?')).toMatchObject([
      { document_id: document, snippet: expect.stringMatching(/the last \*\*xylophone\*\*$/) },
    ]);
    for (const unit of ['x', '東', '\u0301', "'\\:*", '\n']) {
      const text = `start ${unit.repeat(1_000_000 / Buffer.byteLength(JSON.stringify(unit)))}`;
      const { status, body } = await service.post(workspace, path(base), { title: `Odd ${unit}`, text });
      expect([unit, status]).toEqual([unit, 201]);
      expect((await service.get(workspace, `${path(base)}/${body.data.id}`)).body.data.text).toBe(text);
    }
    const tooLong = await service.post(workspace, path(base), { title: 'T', text: 'x '.repeat(600_000) });
    expect([tooLong.status, tooLong.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('adds one document per Idempotency-Key, however often it is sent', async () => {
    const base = await add(workspace);
    const send = (text: string) =>
      service.post(workspace, path(base), { title: 'T', text }, { 'idempotency-key': 'd1' });
    const [first, second] = [await send('Once.'), await send('Once.')];
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect((await send('Twice.')).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect((await baseOf(base)).document_count).toBe(1);
  });
});

describe('GET /v1/knowledge-base/{id}/documents', () => {
  it('pages through the documents, newest first, each once, without their texts', async () => {
    const base = await add(workspace);
    for (const title of ['a', 'b', 'c']) await addDocument(workspace, base, title, 'Text.');
    const page = async (query: string): Promise<Json> =>
      (await service.get(workspace, `${path(base)}?${query}`)).body;
    const first = await page('limit=2');
    expect(first.data.map(({ title }: Json) => title)).toEqual(['c', 'b']);
    expect(Object.keys(first.data[0])).toEqual(['id', 'knowledge_base_id', 'title', 'size', 'created_at']);
    expect(first.pagination).toEqual({ total: 3, count: 2, next_cursor: '2' });
    const second = await page('limit=2&offset=2');
    expect([second.data.map(({ title }: Json) => title), second.pagination.next_cursor]).toEqual([
      ['a'],
      null,
    ]);
    expect((await page('offset=9')).data).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'offset=-1'])('refuses ?%s', async (query) => {
    const [finding] = findings(await service.get(workspace, `${path()}?${query}`));
    expect(finding?.split(' ')[0]).toBe(query.split('=')[0]);
  });
});

describe('DELETE /v1/knowledge-base/{id}/documents/{docId}', () => {
  it('answers 204, and the document is no longer counted or found', async () => {
    const base = await add(workspace);
    const kept = await addDocument(workspace, base, 'Kept', 'A walrus sings.');
    const gone = await addDocument(workspace, base, 'Gone', 'A walrus dances.');
    expect((await service.remove(workspace, `${path(base)}/${gone.toUpperCase()}`)).status).toBe(204);
    expect((await baseOf(base)).document_count).toBe(1);
    expect((await search(workspace, base, 'walrus')).map(({ document_id }) => document_id)).toEqual([kept]);
    expect((await service.get(workspace, `${path(base)}/${gone}`)).status).toBe(404);
    expect((await service.remove(workspace, `${path(base)}/${gone}`)).status).toBe(404);
    expect((await baseOf(base)).document_count).toBe(1);
  });

  it('answers 404 for an unknown id and 422 for a malformed one', async () => {
    const missing = await service.remove(workspace, `${path()}/${randomUUID()}`);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(findings(await service.remove(workspace, `${path()}/nope`))).toEqual(['docId invalid_format']);
    expect(findings(await service.get(workspace, `${path('nope')}/${randomUUID()}`))).toEqual([
      'id invalid_format',
    ]);
  });
});
