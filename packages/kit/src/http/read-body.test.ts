import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { readBody } from './read-body.ts';

const MIB = 1024 ** 2;

/** A request whose body comes in these chunks. */
function requestOf(chunks: Iterable<Buffer>): IncomingMessage {
  return Object.assign(Readable.from(chunks), { headers: {}, setTimeout: () => {} }) as never;
}

describe('readBody', () => {
  it.each([0, 1, 2, 7])('joins %d chunks', async (count) => {
    const texts = Array.from({ length: count }, (_, i) => String(i).repeat(2_000));
    const body = await readBody(requestOf(texts.map((text) => Buffer.from(text))), MIB);
    expect(body.toString()).toBe(texts.join(''));
  });

  it('takes exactly as much as the limit, and no byte more', async () => {
    const bytes = (count: number) => [Buffer.alloc(count - 1), Buffer.alloc(1)];
    expect(await readBody(requestOf(bytes(100)), 100)).toHaveLength(100);
    await expect(readBody(requestOf(bytes(101)), 100)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it('needs little more memory than the body has bytes, however small its chunks are', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const used = (): number => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    let atEnd = 0;
    function* drip(): Generator<Buffer> {
      for (let i = 0; i < MIB / 4; i += 1) yield Buffer.from('a');
      atEnd = used();
    }
    const before = used();
    expect(await readBody(requestOf(drip()), MIB)).toHaveLength(MIB / 4);
    expect(atEnd - before).toBeLessThan(4 * MIB);
  });
});
