import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import type { Config } from '../../config.ts';
import type { SegmentCopies } from './live/segment-copies.ts';
import { createSegmentFiles, type SegmentFiles } from './live/segment-files.ts';
import type { RecordingStore } from './ports.ts';
import { createRecordingFiles } from './recording-files.store.ts';
import type { BucketOptions } from './s3/bucket.ts';

export type OpenedStore = {
  recordings: RecordingStore;
  segmentFiles: SegmentFiles;
  /** Undefined: the processes share a folder. */
  segmentCopies?: SegmentCopies;
};

type Settings = Pick<
  Config,
  | 'RECORDINGS_DIR'
  | 'RECORDINGS_KEEP_FREE_MB'
  | 'RECORDINGS_S3_BUCKET'
  | 'RECORDINGS_S3_ENDPOINT'
  | 'RECORDINGS_S3_REGION'
  | 'RECORDINGS_S3_PATH_STYLE'
  | 'AWS_ACCESS_KEY_ID'
  | 'AWS_SECRET_ACCESS_KEY'
  | 'AWS_SESSION_TOKEN'
>;

/** The store that the operator configured. The SDK is loaded only for a bucket; a failed check is logged, and operations are still attempted. */
export async function openRecordingStore(
  config: Settings,
  { log, lifecycle }: { log: Log; lifecycle: Lifecycle },
): Promise<OpenedStore> {
  const folder = config.RECORDINGS_DIR;
  const segmentFiles = createSegmentFiles(folder);
  const name = config.RECORDINGS_S3_BUCKET;
  if (name === undefined) {
    const keepFreeBytes = config.RECORDINGS_KEEP_FREE_MB * 1024 ** 2;
    return { segmentFiles, recordings: createRecordingFiles({ folder, keepFreeBytes }) };
  }
  const { createBucket } = await import('./s3/bucket.ts');
  const { createRecordingBucket } = await import('./s3/recording-bucket.store.ts');
  const { createSegmentCopies } = await import('./live/segment-copies.ts');
  const bucket = createBucket({
    bucket: name,
    endpoint: config.RECORDINGS_S3_ENDPOINT,
    region: config.RECORDINGS_S3_REGION,
    pathStyle: config.RECORDINGS_S3_PATH_STYLE ?? false,
    credentials: credentialsOf(config),
  });
  lifecycle.onStop('bucket for recordings', bucket.close);
  void bucket
    .check()
    .catch((err: unknown) => log.error({ err, bucket: name }, 'the bucket for recordings cannot be used'));
  return {
    segmentFiles,
    recordings: createRecordingBucket(bucket),
    segmentCopies: createSegmentCopies(bucket, segmentFiles),
  };
}

/** Passed explicitly, since the SDK doesn't read our secrets file. */
function credentialsOf(config: Settings): BucketOptions['credentials'] {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const sessionToken = config.AWS_SESSION_TOKEN;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}
