import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { createReadJson } from './read-json.ts';

const MIB = 1024 ** 2;

/** A request whose body comes in these chunks. */
function requestOf(chunks: Iterable<Buffer>): IncomingMessage {
  const headers = { 'transfer-encoding': 'chunked' };
  return Object.assign(Readable.from(chunks), { headers, complete: true, setTimeout: () => {} }) as never;
}

const read = (chunks: Iterable<Buffer>, limitBytes = MIB) => createReadJson(limitBytes)(requestOf(chunks));

describe('createReadJson', () => {
  it.each([
    [0, 1],
    [1, 2_000],
    [2, 2_000],
    [7, 2_000],
    [3, 5_000],
    [9_000, 1],
  ])('joins %d chunks of %d bytes', async (count, length) => {
    const texts = Array.from({ length: count }, (_, i) => String(i % 10).repeat(length));
    const chunks = ['{"a":"', ...texts, '"}'].map((text) => Buffer.from(text));
    expect((await read(chunks)).value).toEqual({ a: texts.join('') });
  });

  it('reads an empty body as an object without fields', async () => {
    expect(await read([])).toEqual({ value: {}, bytes: Buffer.alloc(0) });
  });

  it('accepts exactly the limit, and not a byte more', async () => {
    const bytes = (count: number) => [Buffer.from(`{"a":"${'x'.repeat(count - 8)}"`), Buffer.from('}')];
    expect((await read(bytes(100), 100)).bytes).toHaveLength(100);
    await expect(read(bytes(101), 100)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('answers 408 to a body that stops arriving [general.26]', async () => {
    let stall = (): void => {};
    const setTimeout = (_ms: number, fn?: () => void): void => {
      stall = fn ?? stall;
    };
    const req = Object.assign(new PassThrough(), {
      headers: { 'content-length': '9' },
      complete: false,
      setTimeout,
    });
    const reading = createReadJson(MIB)(req as unknown as IncomingMessage);
    req.write('{"a":');
    stall();
    await expect(reading).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', status: 408 });
  });

  it.each([
    ['nothing but a BOM and an object', '\ufeff{"a":1}', { a: 1 }],
    ['spaces around it', ' {"a":1}\n', { a: 1 }],
  ])('reads %s', async (_what, text, value) => {
    expect((await read([Buffer.from(text)])).value).toEqual(value);
  });

  it.each([
    ['too many levels', '['.repeat(65)],
    ['bytes that are not UTF-8', Buffer.from('{"a":"\xff"}', 'latin1')],
    ['what is no JSON', '{"a"'],
    ['what is no object', '[]'],
  ])('answers 422 to %s', async (_what, text) => {
    await expect(read([Buffer.from(text as string)])).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      status: 422,
    });
  });

  it("needs little more memory than the body's size, however small the chunks are", async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    let atEnd = 0;
    function* drip(): Generator<Buffer> {
      yield Buffer.from('{"a":"');
      for (let i = 0; i < MIB / 4; i += 1) yield Buffer.from('a');
      yield Buffer.from('"}');
      atEnd = used();
    }
    const before = used();
    expect((await read(drip())).bytes).toHaveLength(MIB / 4 + 8);
    expect(atEnd - before).toBeLessThan(4 * MIB);
  });
});
