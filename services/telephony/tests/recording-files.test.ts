import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRecordingFiles } from '../src/after-call/recordings/recording-files.store.ts';

const KEY = '0190b1b0-0000-7000-8000-0000000000aa.wav';

describe('recordings as files', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recording-files-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const files = (keepFreeBytes = 0) => createRecordingFiles({ folder, keepFreeBytes });
  async function* bytes(...texts: string[]): AsyncGenerator<Buffer> {
    for (const text of texts) {
      if (text === 'fail') throw new Error('the voice broke');
      yield Buffer.from(text);
    }
  }

  it('keeps what it was given, and gives it back whole and in parts', async () => {
    const store = files();
    expect(await store.put(KEY, bytes('abc', 'def'))).toBe(6);
    expect(await readFile((await store.fileOf(KEY)) ?? '', 'utf8')).toBe('abcdef');
    expect(String(await store.read(KEY, 2, 3))).toBe('cde');
    expect(String(await store.read(KEY, 4, 100))).toBe('ef');
  });

  it('lets nobody else on the machine read it, whatever the umask is', async () => {
    const before = process.umask(0);
    try {
      const root = join(folder, 'recordings');
      const store = createRecordingFiles({ folder: root, keepFreeBytes: 0 });
      await store.put(KEY, bytes('abc'));
      const path = (await store.fileOf(KEY)) ?? '';
      const modes = await Promise.all([root, dirname(path), path].map(async (one) => (await stat(one)).mode));
      expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '700', '600']);
    } finally {
      process.umask(before);
    }
  });

  it('replaces what is stored again', async () => {
    const store = files();
    await store.put(KEY, bytes('old and long'));
    await store.put(KEY, bytes('new'));
    expect(String(await store.read(KEY, 0, 100))).toBe('new');
  });

  it('stores the whole or nothing', async () => {
    const store = files();
    await expect(store.put(KEY, bytes('abc', 'fail'))).rejects.toThrow('the voice broke');
    expect(await store.fileOf(KEY)).toBeNull();
    expect(await store.read(KEY, 0, 10)).toBeNull();
    expect(await readdir(join(folder, 'unfinished'))).toEqual([]);
  });

  it('leaves room on the disk', async () => {
    await expect(files(Number.MAX_SAFE_INTEGER).put(KEY, bytes('abc'))).rejects.toThrow('full');
  });

  it('removes what a dead process left behind, and nothing that may still be written', async () => {
    const store = files();
    await store.put(KEY, bytes('abc'));
    const draft = (name: string) => join(folder, 'unfinished', name);
    await Promise.all(['old', 'new'].map((name) => writeFile(draft(name), 'x')));
    const yesterday = Date.now() / 1000 - 86_400;
    await utimes(draft('old'), yesterday, yesterday);
    await store.sweep();
    expect(await readdir(join(folder, 'unfinished'))).toEqual(['new']);
    expect(await store.fileOf(KEY)).not.toBeNull();
  });

  it.each(['../secret', 'a/b', '.hidden', '', 'a\0b'])('knows no key %j', async (key) => {
    await expect(files().fileOf(key)).rejects.toThrow('not the key');
  });
});
