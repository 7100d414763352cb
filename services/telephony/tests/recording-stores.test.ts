import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import {
  type RecordingStore,
  RecordingStoreError,
  type StoredRecording,
} from '../src/after-call/recordings/ports.ts';
import { createRecordingFiles } from '../src/after-call/recordings/recording-files.store.ts';
import { createBucket } from '../src/after-call/recordings/s3/bucket.ts';
import { createRecordingBucket } from '../src/after-call/recordings/s3/recording-bucket.store.ts';
import { type BucketServer, bucketServer } from './bucket-server.ts';

const KEY = '0190b1b0-0000-7000-8000-0000000000aa.wav';
const { signal } = new AbortController();

let folder: string;
let server: BucketServer;

beforeAll(async () => {
  server = await bucketServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recording-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

const files = (keepFreeBytes = 0) => createRecordingFiles({ folder, keepFreeBytes });

const content = (...texts: string[]) => ({
  length: texts.join('').length,
  bytes: (async function* () {
    for (const one of texts) {
      if (one === 'fail') throw new Error('the voice broke');
      yield Buffer.from(one);
    }
  })(),
});

async function wholeOf(stored: StoredRecording | null): Promise<string | undefined> {
  if (!stored) return undefined;
  if ('file' in stored) return readFile(stored.file, 'utf8');
  return text(await stored.content.read({ start: 0, end: stored.content.size - 1 }));
}

const STORES: [string, () => RecordingStore][] = [
  ['files', files],
  ['an S3-compatible bucket', () => createRecordingBucket(server.bucket)],
];

describe.each(STORES)('recordings in %s', (_, open) => {
  it('keeps what it was given, and gives it back whole and in parts', async () => {
    const store = open();
    await store.put(KEY, content('abc', 'def'), signal);
    expect(await wholeOf(await store.open(KEY))).toBe('abcdef');
    expect(String(await store.read(KEY, 2, 3))).toBe('cde');
    expect(String(await store.read(KEY, 4, 100))).toBe('ef');
    expect(String(await store.read(KEY, 6, 100))).toBe('');
  });

  it('replaces what is stored again, and removes it', async () => {
    const store = open();
    await store.put(KEY, content('old and long'), signal);
    await store.put(KEY, content('new'), signal);
    expect(await wholeOf(await store.open(KEY))).toBe('new');
    await store.remove(KEY);
    await store.remove(KEY);
    expect(await store.open(KEY)).toBeNull();
    expect(await store.read(KEY, 0, 10)).toBeNull();
  });

  it('removes all files of a call, and no others', async () => {
    const store = open();
    const [call, other] = [KEY.replace('.wav', ''), '0190b1b0-0000-7000-8000-0000000001aa'];
    for (const key of [KEY, `${call}.2.wav`, `${call}.12.wav`, `${other}.wav`])
      await store.put(key, content('abc'), signal);
    await store.removeAll(call);
    await store.removeAll(call);
    await store.removeAll('0190b1b0-0000-7000-8000-0000000000bb');
    const left = [KEY, `${call}.2.wav`, `${call}.12.wav`, `${other}.wav`].map(store.open);
    expect((await Promise.all(left)).map((stored) => stored !== null)).toEqual([false, false, false, true]);
    await store.removeAll(other);
  });

  it('stores the whole or nothing', async () => {
    const store = open();
    await expect(store.put(KEY, content('abc', 'fail'), signal)).rejects.toThrow('the voice broke');
    expect(await store.open(KEY)).toBeNull();
    expect(await store.read(KEY, 0, 10)).toBeNull();
  });

  it('stores megabytes', async () => {
    const store = open();
    const piece = 'x'.repeat(1_000_000);
    await store.put(KEY, content(...Array(12).fill(piece)), signal);
    expect((await wholeOf(await store.open(KEY)))?.length).toBe(12_000_000);
    await store.remove(KEY);
  });
});

describe('recordings in files', () => {
  it('lets nobody else on the machine read it, whatever the umask is', async () => {
    const before = process.umask(0);
    try {
      const root = join(folder, 'recordings');
      const store = createRecordingFiles({ folder: root, keepFreeBytes: 0 });
      await store.put(KEY, content('abc'), signal);
      const stored = await store.open(KEY);
      const path = stored && 'file' in stored ? stored.file : '';
      const modes = await Promise.all([root, dirname(path), path].map(async (one) => (await stat(one)).mode));
      expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '700', '600']);
    } finally {
      process.umask(before);
    }
  });

  it('leaves nothing of a failure', async () => {
    await expect(files().put(KEY, content('abc', 'fail'), signal)).rejects.toThrow('the voice broke');
    expect(await readdir(join(folder, 'unfinished'))).toEqual([]);
  });

  it('removes what is being stored of a call: it fails', async () => {
    const store = files();
    const begun = createDeferred<void>();
    const removed = createDeferred<void>();
    const bytes = (async function* () {
      yield Buffer.from('abc');
      begun.resolve();
      await removed.promise;
      yield Buffer.from('def');
    })();
    const stored = store.put(KEY, { length: 6, bytes }, signal);
    await begun.promise;
    await store.removeAll(KEY.replace('.wav', ''));
    removed.resolve();
    await expect(stored).rejects.toThrow(RecordingStoreError);
    expect(await store.open(KEY)).toBeNull();
    expect(await readdir(join(folder, 'unfinished'))).toEqual([]);
  });

  it('leaves room on the disk, and waits until there is some', async () => {
    await expect(files(Number.MAX_SAFE_INTEGER).put(KEY, content('abc'), signal)).rejects.toThrow(
      RecordingStoreError,
    );
  });

  it('removes what a dead process left behind, and nothing that may still be written', async () => {
    const store = files();
    await store.put(KEY, content('abc'), signal);
    const draft = (name: string) => join(folder, 'unfinished', name);
    await Promise.all(['old', 'new'].map((name) => writeFile(draft(name), 'x')));
    const yesterday = Date.now() / 1000 - 86_400;
    await utimes(draft('old'), yesterday, yesterday);
    await store.sweep();
    expect(await readdir(join(folder, 'unfinished'))).toEqual(['new']);
    expect(await store.open(KEY)).not.toBeNull();
  });

  it('is unavailable while its disk fails, for every operation', async () => {
    const store = files();
    await store.put(KEY, content('abc'), signal);
    // A file in the place of a folder, so that even root gets an error: ENOTDIR.
    const root = join(folder, 'broken');
    const callId = KEY.replace('.wav', '');
    await writeFile(root, 'x');
    const broken = createRecordingFiles({ folder: root, keepFreeBytes: 0 });
    for (const use of [
      () => broken.put(KEY, content('abc'), signal),
      () => broken.open(KEY),
      () => broken.read(KEY, 0, 1),
      () => broken.remove(KEY),
      () => broken.removeAll(callId),
    ])
      await expect(use()).rejects.toThrow(RecordingStoreError);
    // A folder in the place of a file: EISDIR.
    await mkdir(join(folder, 'unfinished', `${KEY}.draft`));
    await expect(store.removeAll(callId)).rejects.toThrow(RecordingStoreError);
    expect(await store.open(KEY)).not.toBeNull();
  });

  it.each(['../secret', 'a/b', '.hidden', '', 'a\0b'])('knows no key %j', async (key) => {
    await expect(files().open(key)).rejects.toThrow('not the key');
  });
});

describe('recordings in a bucket', () => {
  const bucketAt = (endpoint: string) =>
    createBucket({
      bucket: 'recordings',
      endpoint,
      pathStyle: true,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    });

  it('is unavailable while the server is, for every operation, and no longer', async () => {
    const store = createRecordingBucket(server.bucket);
    await server.stop();
    for (const use of [
      store.put(KEY, content('abc'), signal),
      store.open(KEY),
      store.read(KEY, 0, 1),
      store.remove(KEY),
    ])
      await expect(use).rejects.toThrow(RecordingStoreError);
    await expect(server.bucket.check()).rejects.toThrow();
    await server.goOn();
    await store.put(KEY, content('abc'), signal);
    expect(await wholeOf(await store.open(KEY))).toBe('abc');
    await server.bucket.check();
  });

  it.each([
    ['500', 'HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n'],
    ['403 for the credentials', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'],
    ['garbage', 'not http at all\r\n\r\n'],
    ['a closed connection', ''],
  ])('is unavailable where the server answers %s', async (_, answer) => {
    const broken = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(answer));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => broken.once('listening', resolve));
    const address = broken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const store = createRecordingBucket(bucketAt(`http://127.0.0.1:${port}`));
    await expect(store.put(KEY, content('abc'), signal)).rejects.toThrow(RecordingStoreError);
    await expect(store.open(KEY)).rejects.toThrow(RecordingStoreError);
    await new Promise((resolve) => broken.close(resolve));
  });

  it('ends an upload at once when the process stops', async () => {
    const stop = new AbortController();
    const endless = (async function* () {
      yield Buffer.from('abc');
      stop.abort(new Error('the process stops'));
      await new Promise(() => {});
    })();
    const store = createRecordingBucket(server.bucket);
    await expect(store.put('other.wav', { length: 10, bytes: endless }, stop.signal)).rejects.toThrow(
      'the process stops',
    );
    expect(await store.open('other.wav')).toBeNull();
  });
});
