import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { realTimer, withDeadline } from '@parley/kit/time';
import { type Recording, RecordingStoreError } from '../ports.ts';

export type BucketOptions = {
  bucket: string;
  /** Undefined: AWS. */
  endpoint?: string | undefined;
  /** By default, from the SDK's configuration. */
  region?: string | undefined;
  /** The bucket is in the path of its URLs, not in the host name. */
  pathStyle: boolean;
  /** By default, from the SDK's credential chain: files, or the role of the machine or pod. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
};

type BucketObject = { size: number; etag: string; modifiedAt: Date };

/** The few operations that recordings need, of any S3-compatible store. All but `check` reject with `RecordingStoreError`. */
export type Bucket = {
  /** One request, so that an interrupted upload leaves nothing behind. An error of `bytes` is passed on as it is. */
  put(key: string, content: Pick<Recording, 'length' | 'bytes'>, signal?: AbortSignal): Promise<void>;
  find(key: string): Promise<BucketObject | null>;
  /** The end is included. */
  stream(key: string, part: { start: number; end: number }): Promise<Readable>;
  /** Null: there is no such object. Empty beyond its end. */
  read(key: string, part: { start: number; end: number }): Promise<Buffer | null>;
  remove(key: string): Promise<void>;
  /** Objects whose keys begin with `prefix`, in their order. */
  list(prefix: string): AsyncIterable<{ key: string; size: number }>;
  /** Rejects if the bucket can't be used. */
  check(): Promise<void>;
  close(): void;
};

const CONNECT_MS = 3_000;
/** Timeout for the head of a response. */
const ANSWER_MS = 15_000;
/** An upload may take this much longer for its bytes. */
const MIN_BYTES_PER_MS = 100;
/** Each open download occupies one. */
const MAX_SOCKETS = 256;
const ATTEMPTS = 2;
const CONTENT_TYPE = 'audio/wav';
/** Errors are logged where they are handled. */
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function createBucket({
  bucket: Bucket,
  endpoint,
  region,
  pathStyle,
  credentials,
}: BucketOptions): Bucket {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint, region: region ?? 'us-east-1' }),
    ...(region !== undefined && { region }),
    forcePathStyle: pathStyle,
    ...(credentials && { credentials }),
    maxAttempts: ATTEMPTS,
    logger: QUIET,
    // Stores other than AWS's reject the checksums that the SDK adds to everything by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, httpAgent: agent, httpsAgent: agent },
  });

  const get = (Key: string, { start, end }: { start: number; end: number }): Promise<Readable> =>
    withDeadline(ANSWER_MS, async (abortSignal) => {
      const Range = `bytes=${start}-${end}`;
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }), { abortSignal });
      if (!(Body instanceof Readable)) throw new Error('the store sent no body');
      return Body;
    });

  return {
    put: async (Key, { length, bytes }, signal) => {
      let sourceError: unknown;
      const stop = new AbortController();
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        let sent = 0;
        try {
          for await (const chunk of bytes) {
            sent += chunk.length;
            yield chunk;
          }
          if (sent !== length) throw new Error(`a recording of ${length} bytes has ${sent}`);
        } catch (err) {
          // The SDK ignores errors of the body stream.
          sourceError = err;
          stop.abort(err);
          throw err;
        }
      };
      const Body = Readable.from(counted(), { objectMode: false });
      Body.on('error', () => {});
      const command = new PutObjectCommand({
        Bucket,
        Key,
        Body,
        ContentLength: length,
        ContentType: CONTENT_TYPE,
      });
      try {
        await withDeadline(
          ANSWER_MS + length / MIN_BYTES_PER_MS,
          (abortSignal) => client.send(command, { abortSignal }),
          ...[stop.signal, ...(signal ? [signal] : [])],
        );
      } catch (err) {
        signal?.throwIfAborted();
        throw sourceError ?? new RecordingStoreError(err);
      } finally {
        Body.destroy();
      }
    },

    find: async (Key) => {
      const head = await unlessMissing(
        withDeadline(ANSWER_MS, (abortSignal) =>
          client.send(new HeadObjectCommand({ Bucket, Key }), { abortSignal }),
        ),
      );
      if (!head) return null;
      const { ContentLength: size = 0, ETag: etag = '', LastModified: modifiedAt = new Date(0) } = head;
      return { size, etag, modifiedAt };
    },

    stream: (key, part) => get(key, part).catch(unavailable),

    read: async (key, part) => {
      try {
        return await bufferInTime(await get(key, part));
      } catch (err) {
        if (statusOf(err) === 404) return null;
        if (statusOf(err) === 416) return Buffer.alloc(0);
        throw new RecordingStoreError(err);
      }
    },

    remove: async (Key) => {
      await unlessMissing(
        withDeadline(ANSWER_MS, (abortSignal) =>
          client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }),
        ),
      );
    },

    async *list(Prefix) {
      let ContinuationToken: string | undefined;
      do {
        const page = await withDeadline(ANSWER_MS, (abortSignal) =>
          client.send(new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }), { abortSignal }),
        ).catch(unavailable);
        for (const { Key: key, Size: size = 0 } of page.Contents ?? []) if (key) yield { key, size };
        ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (ContinuationToken);
    },

    check: async () => {
      await withDeadline(ANSWER_MS, (abortSignal) =>
        client.send(new HeadBucketCommand({ Bucket }), { abortSignal }),
      );
    },

    close: () => client.destroy(),
  };
}

async function bufferInTime(body: Readable): Promise<Buffer> {
  const cancel = realTimer(ANSWER_MS, () => body.destroy(new Error('the response broke off')));
  try {
    return await buffer(body);
  } finally {
    cancel();
  }
}

const statusOf = (err: unknown): number | undefined =>
  err instanceof S3ServiceException ? err.$metadata.httpStatusCode : undefined;

function unavailable(err: unknown): never {
  throw new RecordingStoreError(err);
}

function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((err: unknown) => (statusOf(err) === 404 ? null : unavailable(err)));
}
