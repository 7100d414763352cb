import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { type Bucket, createBucket } from '../src/after-call/recordings/s3/bucket.ts';

const NAME = 'recordings';
const ACCOUNT = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export type BucketServer = {
  bucket: Bucket;
  /** The service's configuration for it. */
  env: Record<string, string>;
  keys(): Promise<string[]>;
  /** Stops the server until `goOn`; its objects remain. */
  stop(): Promise<void>;
  goOn(): Promise<void>;
  close(): Promise<void>;
};

/** A bucket of s3rver, a third-party S3-compatible server. */
export async function bucketServer(): Promise<BucketServer> {
  const directory = await mkdtemp(join(tmpdir(), 's3rver-'));
  const run = async (port: number) => {
    const options = { address: '127.0.0.1', port, directory, silent: true, configureBuckets: [] };
    const server = new S3rver({ ...options, configureBuckets: [{ name: NAME, configs: [] }] });
    return { server, port: (await server.run()).port };
  };
  let running = await run(0);
  const { port } = running;
  const endpoint = `http://127.0.0.1:${port}`;
  const bucket = createBucket({ bucket: NAME, endpoint, pathStyle: true, credentials: ACCOUNT });
  return {
    bucket,
    env: {
      RECORDINGS_S3_BUCKET: NAME,
      RECORDINGS_S3_ENDPOINT: endpoint,
      RECORDINGS_S3_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: ACCOUNT.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ACCOUNT.secretAccessKey,
    },
    keys: async () => {
      const names = await readdir(join(directory, NAME), { recursive: true }).catch(() => []);
      return names.flatMap((name) =>
        name.endsWith('._S3rver_object') ? [name.slice(0, -'._S3rver_object'.length)] : [],
      );
    },
    stop: () => running.server.close(),
    goOn: async () => {
      running = await run(port);
    },
    close: async () => {
      bucket.close();
      await running.server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
